import { of as signalOf } from '../../graph/stop-signal.ts';
import { AgentError } from '../../kit/agent-error.ts';
import { errorInfo } from '../../graph/error-info.ts';
import { user } from '../../graph/message.ts';
import { finalResponse, hasFinalResponse, messages } from '../../graph/agent-state/accessors.ts';
import type { AgentState } from '../../graph/types.ts';
import { describeIssues, parse, parseSync, type ParseResult } from '../../agent/parse.ts';
import type { Schema } from '../../agent/schema.ts';
import { commit, type Run, stateOf, userCode } from '../run.ts';

const retryMark = 'output_issues';

/**
 * The final answer as data of the schema that the agent's `responseFormat` was given as.
 * @throws AgentError `output-invalid` when there is no answer, it is not JSON, or it does not fit.
 */
export function finalOutput<Output>(state: AgentState, schema: Schema<Output>): Output {
  const json = parseJson(finalResponse(state));
  const parsed = json.ok ? parseSync(schema, json.value, 'output-invalid') : json;
  if (parsed.ok) return parsed.value;
  throw outputInvalid(describeIssues(parsed.issues));
}

/** Sends an answer that does not fit its schema back to the model, as often as the agent allows. */
export async function checkOutput(run: Run): Promise<void> {
  const schema = run.agent.responseSchema;
  const state = stateOf(run);
  if (schema === null || !hasFinalResponse(state)) return;
  const json = parseJson(finalResponse(state));
  const parsed = json.ok ? await userCode(run, 'responseFormat', () => parse(schema, json.value)) : json;
  if (parsed.ok) return;
  const issues = describeIssues(parsed.issues);
  const executionId = state.execution?.executionId ?? '';
  if (retriesSoFar(state, executionId) >= run.agent.retry.maxOutputRetries) return giveUp(run, issues);
  const text = `Your answer does not fit the required format: ${issues}. Answer again with JSON that fits, and nothing else.`;
  const metadata = { execution_id: executionId, is_trace: true, [retryMark]: true };
  const message = user(text, { metadata }, run.env);
  commit(run, { type: 'message-add', source, section: 'messages', message });
  commit(run, { type: 'continuation-request', source });
}

const source = 'response-format';

function giveUp(run: Run, issues: string): void {
  const error = errorInfo(outputInvalid(issues));
  commit(run, { type: 'error-record', error });
  const init = { message: error.message, source, context: { issues } };
  commit(run, { type: 'stop-signal', signal: signalOf('retry-limit-reached', init, run.env) });
}

function retriesSoFar(state: AgentState, executionId: string): number {
  return messages(state).filter(
    (message) => message.metadata[retryMark] === true && message.metadata['execution_id'] === executionId,
  ).length;
}

/** The answer as JSON, without the fence that models like to put around it. */
export function parseJson(text: string): ParseResult<unknown> {
  try {
    return { ok: true, value: JSON.parse(withoutFence(text)) };
  } catch {
    return {
      ok: false,
      issues: [{ path: '', message: text === '' ? 'there is no answer' : 'the answer is not JSON' }],
    };
  }
}

function outputInvalid(issues: string): AgentError {
  return new AgentError('output-invalid', `The final answer does not fit its format: ${issues}`, {
    data: { issues },
  });
}

/** Many models put JSON into a Markdown fence, whatever they are told. */
function withoutFence(text: string): string {
  return /^\s*```[a-z]*\s*\n([\s\S]*?)\n?\s*```\s*$/i.exec(text)?.[1] ?? text;
}
