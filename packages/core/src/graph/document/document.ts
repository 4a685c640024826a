import * as errors from '../../kit/errors.ts';
import * as z from 'zod/mini';
import { type Env, systemEnv } from '../env.ts';
import { copyJson, isPlainObject } from '../../kit/json.ts';
import { freeze } from '../../kit/freeze.ts';
import type { AgentState } from '../types.ts';
import {
  compact,
  type EncodeContext,
  encodeAgentState,
  encodeContext,
  type EncodeChild,
  encodeMessage,
} from './encode.ts';
import { type DecodeContext, decodeAgentState, decodeMessage } from './decode.ts';
import { isExact } from './is-exact.ts';
import { documentVersion, migrate } from './migrate-chain.ts';
import { agentStateSchema, envelopeSchema } from './schema.ts';

/** A stored document: plain JSON. Its fields are internal to this library. */
export type StateDocument = {
  readonly $schema: string;
  readonly version: number;
  readonly [field: string]: unknown;
};

/** The most levels of a document; no state is deeper. JSON of this depth can be parsed and walked everywhere. */
export const maxDepth = 1_000;

/**
 * Writes a value and the messages that it refers to as a document of the given kind. The document shares no object
 * with the value.
 * @throws AgentError `state-invalid` for a value that could not be read again, because JSON cannot hold it.
 */
export function toDocument<Value>(
  kind: string,
  value: Value,
  encode: (value: Value, ctx: EncodeContext, child: EncodeChild) => object,
  texts: AgentState['texts'] = {},
): StateDocument {
  return owned(write(kind, value, encode, texts));
}

function write<Value>(
  kind: string,
  value: Value,
  encode: (value: Value, ctx: EncodeContext, child: EncodeChild) => object,
  texts: AgentState['texts'],
): StateDocument {
  const ctx = encodeContext(texts);
  const body = encode(value, ctx, (state) => write('agent-state', state, encodeAgentState, state.texts));
  const messages = ctx.table.messages.map(encodeMessage);
  const held = ctx.texts.length === 0 ? {} : { texts: ctx.texts };
  return { $schema: `vitrine/${kind}`, version: documentVersion, messages, ...held, ...body };
}

/** A callback for each path that was left out while a document was read, with the reason. */
export type WarnReading = (path: string, what: string) => void;

/**
 * Reads a document of the given kind; the document is neither kept nor frozen.
 * @throws AgentError `state-invalid` with the path of what is wrong, `state-version-unsupported` for a newer version.
 */
export function fromDocument<Encoded, Value>(
  kind: string,
  document: unknown,
  schema: z.ZodMiniType<Encoded>,
  decode: (encoded: Encoded, ctx: DecodeContext) => Value,
  env: Env = systemEnv,
  warn: WarnReading = () => undefined,
): Value {
  return freeze(read(kind, owned(document), schema, decode, { env, warn, path: '' }));
}

type Reading = { readonly env: Env; readonly warn: WarnReading; readonly path: string };

function read<Encoded, Value>(
  kind: string,
  document: unknown,
  schema: z.ZodMiniType<Encoded>,
  decode: (encoded: Encoded, ctx: DecodeContext) => Value,
  { env, warn, path }: Reading,
): Value {
  const current = migrate(kind, document, path);
  const { outside, body } = opened(current);
  const envelope = validate(envelopeSchema, outside, path);
  if (envelope.$schema !== `vitrine/${kind}`) {
    throw errors.stateInvalid({
      path: join(path, '$schema'),
      what: `expected "vitrine/${kind}", found ${JSON.stringify(envelope.$schema)}`,
    });
  }
  const encoded = validate(schema, body, path);
  const table = (envelope.messages ?? []).map(decodeMessage);
  const child = (nested: unknown, at: string): AgentState =>
    read('agent-state', nested, agentStateSchema, decodeAgentState, { env, warn, path: join(path, at) });
  const warnAt: WarnReading = (at, what) => warn(join(path, at), what);
  return decode(encoded, { table, env, child, warn: warnAt, texts: envelope.texts ?? [] });
}

/** Splits a document into the envelope that all documents have, and its body. */
function opened(document: unknown): { outside: unknown; body: unknown } {
  if (!isPlainObject(document)) return { outside: document, body: document };
  const { $schema, version, messages, texts, ...body } = document;
  return { outside: compact({ $schema, version, messages, texts }), body };
}

function owned<Value>(document: Value): Value {
  return copyJson(document, {
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

function join(path: string, rest: string): string {
  return path === '' || rest === '' ? path + rest : `${path}.${rest}`;
}
