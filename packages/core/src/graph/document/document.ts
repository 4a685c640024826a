import * as errors from '../../kit/errors.ts';
import * as is from '../../kit/check.ts';
import { type Env, systemEnv } from '../env.ts';
import { copyJson, type JsonValue } from '../../kit/json.ts';
import { freeze } from '../../kit/freeze.ts';
import type { Message } from '../message.ts';
import { message } from '../shapes.ts';
import type { AgentState } from '../types.ts';
import { MessageTable } from './message-table.ts';
import { documentVersion, migrate } from './migrate-chain.ts';
import {
  checkJson,
  join,
  throwMissing,
  nothingSaid,
  type ObjectShape,
  readJsonAs,
  shapeOf,
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
const envelope = is.objectOf({
  $schema: is.text,
  version: is.timestamp,
  messages: is.optional(is.list(message)),
  texts: is.optional(is.list(is.tuple(is.text, is.json))),
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
  const messages = tables.messages.map(encodeMessage);
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
  const table = new MessageTable();
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

const messageShape = shapeOf(message);

function encodeMessage(given: Message): Stored {
  // A message refers to nothing.
  return messageShape.encode(given, {} as Writing);
}

/** Encodes a message as JSON. @throws AgentError `state-invalid` for a value that is no JSON */
export function takeMessage(given: Message): object {
  return ownJson(encodeMessage(given));
}

/** A part of a document that is stored in rows: the messages, texts and children that its body refers to by index. */
export type DocumentPart = {
  readonly body: Stored;
  readonly messages: readonly Message[];
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
        child ??
        ((at, place) => children[at as number] ?? throwMissing(place, `there is no child ${String(at)}`)),
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

export function writerOf<Value>(kind: string, shape: ObjectShape<Value>): (value: Value) => StateDocument {
  return (value) => toDocument(kind, value, shape);
}

type Place = { readonly env: Env; readonly warn: WarnReading; readonly path: string };

function read<Value>(
  kind: string,
  document: unknown,
  shape: ObjectShape<Value>,
  { env, warn, path }: Place,
): Value {
  const current = migrate(kind, document, path);
  const { $schema, messages: table = [], texts = [] } = readJsonAs(envelope, current, path);
  if ($schema !== `vitrine/${kind}`) {
    const what = `expected "vitrine/${kind}", found ${JSON.stringify($schema)}`;
    throw errors.stateInvalid({ path: join(path, '$schema'), what });
  }
  checkJson(shape.check, current, path);
  const child = (nested: unknown, at: string): AgentState =>
    read('agent-state', nested, stateShape, { env, warn, path: join(path, at) });
  const warnAt: WarnReading = (at, what) => warn(join(path, at), what);
  const ctx = { table, env, child, warn: warnAt, texts, said: nothingSaid };
  return shape.decode(current as never, ctx, '');
}

/** Copies a value that has to be JSON. */
export function ownJson<Value>(value: Value): Value {
  return copyJson(value, { maxDepth, refuse: (path, what) => errors.stateInvalid({ path, what }) });
}
