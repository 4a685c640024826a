import * as errors from '../../kit/errors.ts';
import * as z from 'zod/mini';
import { type Env, systemEnv } from '../env.ts';
import { copyJson, isPlainObject, type JsonValue } from '../../kit/json.ts';
import { freeze } from '../../kit/freeze.ts';
import type { Message } from '../message.ts';
import type { AgentState } from '../types.ts';
import { isExact } from './is-exact.ts';
import { createMessageTable } from './message-table.ts';
import { messageShape } from './message-shape.ts';
import { documentVersion, migrate } from './migrate-chain.ts';
import {
  join,
  json,
  missing,
  nothingSaid,
  type ObjectShape,
  type Reading,
  type Stored,
  type Writing,
} from './shape.ts';
import { stateShape } from './state-shape.ts';

/** A stored document: plain JSON. Its fields are internal to this library. */
export type StateDocument = {
  readonly $schema: string;
  readonly version: number;
  readonly [field: string]: unknown;
};

/** The most levels of a document; no state is deeper. JSON of this depth can be parsed and walked everywhere. */
export const maxDepth = 1_000;

/** The envelope of every stored document, with the messages it refers to. */
export const envelopeSchema = z.object({
  $schema: z.string(),
  version: z.int(),
  messages: z.optional(z.array(messageShape.schema)),
  texts: z.optional(z.array(z.tuple([z.string(), json]))),
});

/**
 * Writes a value and the messages that it refers to as a document of the given kind. The document shares no object
 * with the value.
 * @throws AgentError `state-invalid` for a value that could not be read again, because JSON cannot hold it.
 */
export function toDocument<Value>(
  kind: string,
  value: Value,
  shape: ObjectShape<Value>,
  texts: AgentState['texts'] = {},
): StateDocument {
  return ownJson(write(kind, value, shape, texts));
}

function write<Value>(
  kind: string,
  value: Value,
  shape: ObjectShape<Value>,
  texts: AgentState['texts'],
): StateDocument {
  const { body, ...tables } = part(shape, value, texts, (state) =>
    write('agent-state', state, stateShape, state.texts),
  );
  const messages = tables.messages.map((message) => messageShape.encode(message, noTables));
  const held = tables.texts.length === 0 ? {} : { texts: tables.texts };
  return { $schema: `vitrine/${kind}`, version: documentVersion, messages, ...held, ...body };
}

/** A value without its messages, texts and children, and those that it refers to by index. */
type Part = {
  readonly body: Stored;
  readonly messages: readonly Message[];
  readonly texts: readonly (readonly [hash: string, text: JsonValue])[];
};

function part<Value>(
  shape: ObjectShape<Value>,
  value: Value,
  known: AgentState['texts'],
  child: (state: AgentState) => unknown,
): Part {
  const table = createMessageTable();
  const texts: [string, JsonValue][] = Object.entries(known);
  const places = new Map(texts.map(([hash], index) => [hash, index]));
  const textAt = (hash: string): number => {
    const place = places.get(hash);
    if (place !== undefined) return place;
    // A step written alone keeps the hash; the text is in its state.
    places.set(hash, texts.length);
    return texts.push([hash, null]) - 1;
  };
  const body = shape.encode(value, { table, textAt, child, said: nothingSaid });
  return { body, messages: table.messages, texts };
}

/** A message refers to nothing. */
const noTables = {} as Writing;
const noneRead = {} as Reading;

/** Encodes a message as JSON. @throws AgentError `state-invalid` for a value that is no JSON */
export function takeMessage(message: Message): object {
  return ownJson(messageShape.encode(message, noTables));
}

/** Decodes a validated message. */
export function putMessage(stored: unknown): Message {
  return messageShape.decode(stored as never, noneRead, '');
}

/** A part of a document that is stored in rows: the messages, texts and children that its body refers to by index. */
export type DocumentPart = {
  readonly body: Stored;
  readonly messages: readonly Message[];
  /** The hashes of the texts. */
  readonly hashes: readonly string[];
  readonly children: readonly AgentState[];
};

/**
 * Encodes a value as a part of a document. `child` encodes the state of a subagent in the body; by default it becomes
 * one of the `children`.
 * @throws AgentError `state-invalid` for a value that is no JSON and could not be read again.
 */
export function takePart<Value>(
  shape: ObjectShape<Value>,
  value: Value,
  texts: AgentState['texts'] = {},
  child?: (state: AgentState) => unknown,
): DocumentPart {
  const children: AgentState[] = [];
  const made = part(shape, value, texts, child ?? ((state) => children.push(state) - 1));
  return {
    body: ownJson(made.body),
    messages: made.messages,
    hashes: made.texts.map(([hash]) => hash),
    children,
  };
}

/** Decodes a validated part of a document. @throws AgentError `state-invalid` with the path */
export function putPart<Value>(
  shape: ObjectShape<Value>,
  { body, messages, hashes, children }: DocumentPart,
  path: string,
  child?: (stored: unknown) => AgentState,
): Value {
  return shape.decode(
    body as never,
    {
      table: messages,
      texts: hashes.map((hash) => [hash, null]),
      env: systemEnv,
      child:
        child ?? ((at, place) => children[at as number] ?? missing(place, `there is no child ${String(at)}`)),
      warn: () => undefined,
      said: nothingSaid,
    },
    path,
  );
}

/** A callback for each path that was left out while a document was read, with the reason. */
export type WarnReading = (path: string, what: string) => void;

/**
 * Reads a document of the given kind; the document is neither kept nor frozen.
 * @throws AgentError `state-invalid` with the path of what is wrong, `state-version-unsupported` for a newer version.
 */
export function fromDocument<Value>(
  kind: string,
  document: unknown,
  shape: ObjectShape<Value>,
  env: Env = systemEnv,
  warn: WarnReading = () => undefined,
): Value {
  return freeze(read(kind, ownJson(document), shape, { env, warn, path: '' }));
}

type Place = { readonly env: Env; readonly warn: WarnReading; readonly path: string };

function read<Value>(
  kind: string,
  document: unknown,
  shape: ObjectShape<Value>,
  { env, warn, path }: Place,
): Value {
  const current = migrate(kind, document, path);
  const { outside, body } = splitEnvelope(current);
  const envelope = validate(envelopeSchema, outside, path);
  if (envelope.$schema !== `vitrine/${kind}`) {
    throw errors.stateInvalid({
      path: join(path, '$schema'),
      what: `expected "vitrine/${kind}", found ${JSON.stringify(envelope.$schema)}`,
    });
  }
  const stored = validate(shape.schema, body, path);
  const table = (envelope.messages ?? []).map(putMessage);
  const child = (nested: unknown, at: string): AgentState =>
    read('agent-state', nested, stateShape, { env, warn, path: join(path, at) });
  const warnAt: WarnReading = (at, what) => warn(join(path, at), what);
  const ctx = { table, env, child, warn: warnAt, texts: envelope.texts ?? [], said: nothingSaid };
  return shape.decode(stored as never, ctx, '');
}

/** Splits a document into the envelope that all documents have, and its body. */
function splitEnvelope(document: unknown): { outside: unknown; body: unknown } {
  if (!isPlainObject(document)) return { outside: document, body: document };
  const { $schema, version, messages, texts, ...body } = document;
  return {
    outside: Object.fromEntries(
      Object.entries({ $schema, version, messages, texts }).filter(([, value]) => value !== undefined),
    ),
    body,
  };
}

/** Copies a value that has to be JSON. */
export function ownJson<Value>(value: Value): Value {
  return copyJson(value, {
    maxDepth,
    refuse: (path, what) => errors.stateInvalid({ path, what }),
  });
}

/**
 * Validates JSON with a schema. A value that is already exact is returned unchanged. @throws AgentError
 * `state-invalid` with the path of the error.
 */
export function validate<Output>(schema: z.ZodMiniType<Output>, value: unknown, path: string): Output {
  if (isExact(schema, value)) return value as Output;
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = deepest(parsed.error.issues);
  throw errors.stateInvalid({
    path: join(path, issue.path.map(String).join('.')),
    what: issue.message || 'unexpected value',
  });
}

/** The issue with the longest path; it is the most useful one of a union. */
function deepest(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue {
  const all = issues.flatMap((issue) => {
    if (issue.code !== 'invalid_union') return [issue];
    const inner = issue.errors.flat().map((nested) => ({ ...nested, path: [...issue.path, ...nested.path] }));
    return inner.length === 0 ? [issue] : inner;
  });
  return all.reduce((best, issue) => (issue.path.length > best.path.length ? issue : best));
}
