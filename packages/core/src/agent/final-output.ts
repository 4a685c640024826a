import { finalResponse } from '../graph/agent-state/accessors.ts';
import type { AgentState } from '../graph/types.ts';
import { AgentError } from '../kit/agent-error.ts';
import { modelJson, readJson } from '../kit/json.ts';
import { stripFence } from '../kit/text.ts';
import { describeIssues, parseSync, type ParseResult, type Schema } from './schema.ts';

/**
 * Returns the final answer as data of the agent's `responseFormat` schema.
 * @throws AgentError `output-invalid` when there is no answer, it is not JSON, or it does not fit.
 */
export function finalOutput<Output>(state: AgentState, schema: Schema<Output>): Output {
  const json = parseJson(finalResponse(state));
  const parsed = json.ok ? parseSync(schema, json.value, 'output-invalid') : json;
  if (parsed.ok) return parsed.value;
  throw outputInvalid(describeIssues(parsed.issues));
}

/** Parses the answer as JSON, without the Markdown fence that models like to add. */
export function parseJson(text: string): ParseResult<unknown> {
  const json = readJson(stripFence(text), modelJson);
  if (json.ok) return json;
  const message = text === '' ? 'there is no answer' : `the answer cannot be read: ${json.what}`;
  return { ok: false, issues: [{ path: '', message }] };
}

/** The error of an answer that does not fit its format. */
export function outputInvalid(issues: string): AgentError {
  return new AgentError('output-invalid', `The final answer does not fit its format: ${issues}`, {
    data: { issues },
  });
}
