import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { JsonObject } from '../kit/json.ts';
import { AgentError, type AgentErrorCode } from '../kit/agent-error.ts';
import { isZodSchema, zodJsonSchema } from './zod-json-schema.ts';

/** Any Standard Schema (zod, Valibot, ArkType, ...): https://standardschema.dev */
export type Schema<Output = unknown, Input = unknown> = StandardSchemaV1<Input, Output>;
/** What a schema gives. */
export type SchemaOutput<S extends Schema> = StandardSchemaV1.InferOutput<S>;
/** What a schema takes. */
export type SchemaInput<S extends Schema> = StandardSchemaV1.InferInput<S>;

/** One thing that is wrong; `path` is dotted, empty for the value itself. */
export type SchemaIssue = { readonly path: string; readonly message: string };

/** A valid value, or what is wrong with it. */
export type ParseResult<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly issues: readonly SchemaIssue[] };

/** Validates unknown data, waiting for schemas that need it. */
export async function parse<Value>(schema: Schema<Value>, data: unknown): Promise<ParseResult<Value>> {
  return toResult(await schema['~standard'].validate(data));
}

/** @throws AgentError of the given code when the schema only validates asynchronously. */
export function parseSync<Value>(
  schema: Schema<Value>,
  data: unknown,
  code: AgentErrorCode,
): ParseResult<Value> {
  const result = schema['~standard'].validate(data);
  if (!(result instanceof Promise)) return toResult(result);
  throw new AgentError(
    code,
    'The schema validates asynchronously; state needs a schema that answers at once.',
  );
}

/** One line for people and models, e.g. `n: expected number; name: required`. */
export function describeIssues(issues: readonly SchemaIssue[]): string {
  return issues
    .map((issue) => (issue.path === '' ? issue.message : `${issue.path}: ${issue.message}`))
    .join('; ');
}

/**
 * The schema as JSON Schema: through the Standard JSON Schema trait where it has it (zod 4.2 and later, ArkType, …), else
 * from its definition where it is one of zod 4 (`zod/mini`).
 * @throws AgentError `agent-invalid`, naming `owner`, when neither can tell it.
 */
export function toJsonSchema(schema: Schema, direction: 'input' | 'output', owner: string): JsonObject {
  const standard: StandardSchemaV1.Props & { jsonSchema?: JsonSchemaTrait } = schema['~standard'];
  try {
    const json = standard.jsonSchema
      ? standard.jsonSchema[direction]({ target: 'draft-2020-12' })
      : isZodSchema(schema)
        ? zodJsonSchema(schema, direction)
        : null;
    if (json !== null) return withoutDialect(json as JsonObject);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new AgentError('agent-invalid', `${owner}: its schema cannot be told as JSON Schema: ${why}`, {
      cause,
    });
  }
  throw new AgentError(
    'agent-invalid',
    `${owner}: its schema (${standard.vendor}) has no JSON Schema of its own. Give one as \`inputSchema\`, or use zod 4.`,
  );
}

type JsonSchemaTrait = {
  readonly [Direction in 'input' | 'output']: (options: { target: string }) => unknown;
};

function withoutDialect({ $schema: _dialect, ...json }: JsonObject): JsonObject {
  return json;
}

function toResult<Value>(result: StandardSchemaV1.Result<Value>): ParseResult<Value> {
  if (result.issues === undefined) return { ok: true, value: result.value };
  return { ok: false, issues: result.issues.map(toIssue) };
}

function toIssue(issue: StandardSchemaV1.Issue): SchemaIssue {
  const path = (issue.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
  return { path, message: issue.message };
}
