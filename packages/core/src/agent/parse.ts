import type { StandardSchemaV1 } from '@standard-schema/spec';
import { AgentError, type AgentErrorCode } from '../kit/agent-error.ts';
import type { Schema } from './schema.ts';

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
  throw new AgentError(
    code,
    'The schema validates asynchronously; state needs a schema that answers at once.',
  );
}

/** Most issues that are listed: a hostile answer may have one for each of its values. */
const namedIssues = 20;

/** One line for people and models, e.g. `n: expected number; name: required`; at most the first 20 issues. */
export function describeIssues(issues: readonly SchemaIssue[]): string {
  const named = issues
    .slice(0, namedIssues)
    .map((issue) => (issue.path === '' ? issue.message : `${issue.path}: ${issue.message}`));
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
