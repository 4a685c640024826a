import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { JsonObject } from '../kit/json.ts';
import { AgentError, type AgentErrorCode } from '../kit/agent-error.ts';

/** Any Standard Schema (zod, Valibot, ArkType, ...): https://standardschema.dev */
export type Schema<Output = unknown, Input = unknown> = StandardSchemaV1<Input, Output>;
export type SchemaOutput<S extends Schema> = StandardSchemaV1.InferOutput<S>;
export type SchemaInput<S extends Schema> = StandardSchemaV1.InferInput<S>;

export type SchemaIssue = { readonly path: string; readonly message: string };

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
 * The schema as JSON Schema, through the Standard JSON Schema trait (zod 4.2 and later).
 * @throws AgentError `agent-invalid` when the schema does not have it.
 */
export function toJsonSchema(schema: Schema, direction: 'input' | 'output', owner: string): JsonObject {
  const trait = (
    schema['~standard'] as { jsonSchema?: Record<string, (options: { target: string }) => unknown> }
  ).jsonSchema;
  const convert = trait?.[direction];
  if (convert === undefined) {
    throw new AgentError(
      'agent-invalid',
      `${owner}: its schema (${schema['~standard'].vendor}) has no JSON Schema of its own. Give one as \`inputSchema\`, or use zod 4.2 or later.`,
    );
  }
  const { $schema: _dialect, ...json } = convert({ target: 'draft-2020-12' }) as Record<string, never>;
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
