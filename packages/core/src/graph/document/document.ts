import * as z from 'zod/mini';
import { type Env, systemEnv } from '../env.ts';
import { freeze } from '../../kit/freeze.ts';
import { AgentError } from '../../kit/agent-error.ts';
import type { AgentState } from '../types.ts';
import { type DecodeContext, decodeAgentState, decodeMessage } from './decode.ts';
import { documentVersion } from './document-version.ts';
import type { EncodeContext } from './encode-sent.ts';
import { encodeAgentState, encodeContext, encodeMessage, type EncodeChild } from './encode.ts';
import { migrate } from './migrations.ts';
import { agentStateSchema, envelopeSchema } from './schema.ts';

/** A stored document: plain JSON whose fields are not meant to be read by anything but this library. */
export type StateDocument = {
  readonly $schema: string;
  readonly version: number;
  readonly [field: string]: unknown;
};

/** Writes one value, with the messages that it refers to, as a document of the given kind. */
export function toDocument<Value>(
  kind: string,
  value: Value,
  encode: (value: Value, ctx: EncodeContext, child: EncodeChild) => object,
  texts: AgentState['texts'] = {},
): StateDocument {
  const ctx = encodeContext(texts);
  const body = encode(value, ctx, (state) => toDocument('agent-state', state, encodeAgentState, state.texts));
  const messages = ctx.table.messages.map(encodeMessage);
  const held = ctx.texts.length === 0 ? {} : { texts: ctx.texts };
  return { $schema: `vitrine/${kind}`, version: documentVersion, messages, ...held, ...body };
}

/**
 * Reads a document of the given kind.
 * @throws AgentError `state-invalid` with the path of what is wrong, `state-version-unsupported` for a newer version.
 */
export function fromDocument<Encoded, Value>(
  kind: string,
  document: unknown,
  schema: z.ZodMiniType<Encoded>,
  decode: (encoded: Encoded, ctx: DecodeContext) => Value,
  env: Env = systemEnv,
  path = '',
): Value {
  const current = migrate(kind, document, path);
  const envelope = validate(envelopeSchema, current, path);
  if (envelope.$schema !== `vitrine/${kind}`) {
    throw invalid(
      join(path, '$schema'),
      `expected "vitrine/${kind}", found ${JSON.stringify(envelope.$schema)}`,
    );
  }
  const encoded = validate(schema, current, path);
  const table = (envelope.messages ?? []).map(decodeMessage);
  const child = (nested: unknown, at: string): AgentState =>
    fromDocument('agent-state', nested, agentStateSchema, decodeAgentState, env, join(path, at));
  return freeze(decode(encoded, { table, env, child, texts: envelope.texts ?? [] }));
}

function validate<Output>(schema: z.ZodMiniType<Output>, value: unknown, path: string): Output {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = deepest(parsed.error.issues);
  throw invalid(join(path, issue.path.map(String).join('.')), issue.message || 'unexpected value');
}

/** Of a union's many complaints the one that got farthest is the useful one. */
function deepest(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue {
  const all = issues.flatMap((issue) => {
    if (issue.code !== 'invalid_union') return [issue];
    const inner = issue.errors.flat().map((nested) => ({ ...nested, path: [...issue.path, ...nested.path] }));
    return inner.length === 0 ? [issue] : inner;
  });
  return all.reduce((best, issue) => (issue.path.length > best.path.length ? issue : best));
}

function invalid(path: string, what: string): AgentError {
  return new AgentError(
    'state-invalid',
    `Stored state is invalid at ${path === '' ? 'its root' : path}: ${what}.`,
    { data: { path } },
  );
}

function join(path: string, rest: string): string {
  return path === '' || rest === '' ? path + rest : `${path}.${rest}`;
}
