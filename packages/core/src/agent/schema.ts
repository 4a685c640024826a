import * as errors from '../kit/errors.ts';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { JsonObject } from '../kit/json.ts';
import { AgentError, type AgentErrorCode } from '../kit/agent-error.ts';
import { cutText } from '../kit/text.ts';

/** Any Standard Schema (zod, Valibot, ArkType, ...): https://standardschema.dev */
export type Schema<Output = unknown, Input = unknown> = StandardSchemaV1<Input, Output>;

export type SchemaOutput<S extends Schema> = StandardSchemaV1.InferOutput<S>;

export type SchemaInput<S extends Schema> = StandardSchemaV1.InferInput<S>;

/**
 * Converts a schema to JSON Schema by the Standard JSON Schema trait (zod 4.2 and later, ArkType, …). Null for a zod 4
 * schema without it (`zod/mini`): zod's converter, which is loaded before a run begins, converts that.
 * @throws AgentError `agent-invalid`, naming `owner`, when the schema cannot be converted.
 */
export function ownJsonSchema(schema: Schema, direction: Direction, owner: string): JsonObject | null {
  const standard: StandardSchemaV1.Props & { jsonSchema?: JsonSchemaTrait } = schema['~standard'];
  const { jsonSchema } = standard;
  if (jsonSchema)
    return toSchema(owner, direction, () => jsonSchema[direction]({ target: 'draft-2020-12' }) as JsonObject);
  // Schemas of zod 4 all carry their definition.
  if ('_zod' in schema) return null;
  const message = `${owner}: its schema (${standard.vendor}) has no JSON Schema of its own. ${remedies[direction]}, or use zod 4.`;
  throw errors.agentInvalid(message);
}

/** The side of a schema to convert: the input of a tool, or the output of an answer. */
export type Direction = 'input' | 'output';

type JsonSchemaTrait = { readonly [Each in Direction]: (options: { target: string }) => unknown };

const remedies: Readonly<Record<Direction, string>> = {
  input: 'Give a JSON Schema as `inputSchema`',
  output: "Give a JSON Schema: `responseFormat: { type: 'json', schema }`",
};

/** Runs a conversion. @throws AgentError `agent-invalid`, naming `owner` and the part that cannot be converted. */
export function toSchema(owner: string, direction: Direction, convert: () => JsonObject): JsonObject {
  try {
    const { $schema: _dialect, ...json } = convert();
    return json;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const message = `${owner}: its schema cannot be converted to JSON Schema (${why}). ${remedies[direction]}, or change the schema.`;
    throw new AgentError('agent-invalid', message, { cause });
  }
}

/** One validation error; `path` is dotted, and empty for the value itself. */
export type SchemaIssue = { readonly path: string; readonly message: string };

/** A valid value, or its validation errors. */
export type ParseResult<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly issues: readonly SchemaIssue[] };

/** Validates unknown data, also with asynchronous schemas. */
export async function parse<Value>(schema: Schema<Value>, data: unknown): Promise<ParseResult<Value>> {
  return toResult(await schema['~standard'].validate(data));
}

/** Validates synchronously. @throws AgentError of the given code when the schema only validates asynchronously. */
export function parseSync<Value>(
  schema: Schema<Value>,
  data: unknown,
  code: AgentErrorCode,
): ParseResult<Value> {
  const result = schema['~standard'].validate(data);
  if (!(result instanceof Promise)) return toResult(result);
  const message = 'The schema validates asynchronously; state needs a schema that answers at once.';
  throw new AgentError(code, message);
}

/** The most issues that are named, and the characters of their paths and messages: a hostile answer has any number. */
const most = { issues: 20, path: 200, message: 1000 };

/** The first 20 issues, with paths and messages that are cut, as an error keeps them. */
export function namedIssues(issues: readonly SchemaIssue[]): readonly SchemaIssue[] {
  return issues.slice(0, most.issues).map(({ path, message }) => ({
    path: path.slice(0, most.path),
    message: cutText(message, most.message),
  }));
}

/** One line for people and models, e.g. `n: expected number; name: required`; at most the first 20 issues. */
export function describeIssues(issues: readonly SchemaIssue[]): string {
  const named = namedIssues(issues).map(({ path, message }) =>
    path === '' ? message : `${path}: ${message}`,
  );
  const more = issues.length - named.length;
  return [...named, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

function toResult<Value>(result: StandardSchemaV1.Result<Value>): ParseResult<Value> {
  if (result.issues === undefined) return { ok: true, value: result.value };
  return { ok: false, issues: result.issues.map(toIssue) };
}

function toIssue(issue: StandardSchemaV1.Issue): SchemaIssue {
  const path = (issue.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
  return { path, message: issue.message };
}
