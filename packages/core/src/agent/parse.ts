import type { StandardSchemaV1 } from '@standard-schema/spec';
import { AgentError, type AgentErrorCode } from '../kit/agent-error.ts';
import type { Schema } from './schema.ts';

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

function toResult<Value>(result: StandardSchemaV1.Result<Value>): ParseResult<Value> {
  if (result.issues === undefined) return { ok: true, value: result.value };
  return { ok: false, issues: result.issues.map(toIssue) };
}

function toIssue(issue: StandardSchemaV1.Issue): SchemaIssue {
  const path = (issue.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
  return { path, message: issue.message };
}
