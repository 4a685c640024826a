import { of as signalOf } from '../graph/stop-signal.ts';
import { of as errorInfo } from '../graph/error-info.ts';
import { user } from '../graph/message.ts';
import { finalResponse, hasFinalResponse, lastStep, messages } from '../graph/agent-state/accessors.ts';
import { isInterrupted, responseText, type as typeOf } from '../graph/agent-step.ts';
import type { AgentState, AgentStep } from '../graph/types.ts';
import { outputInvalid, parseJson } from '../agent/final-output.ts';
import { describeIssues, parse } from '../agent/schema.ts';
import { recordFailure } from '../run/record-failure.ts';
import { commit, stateOf, userCode } from '../run/run.ts';
import type { Feature, Run } from '../run/slots.ts';

/** Checks the final answer against its schema, and asks the model for another one. */
export const structuredOutput: Feature = (run) => ({
  acceptsEmpty: (step) => isAskedAgain(run, step),
  afterStep: () => checkOutput(run).catch((thrown: unknown) => recordFailure(run, thrown)),
});

const retryMark = 'output_issues';
const emptyMark = 'output_empty';

/** Sends an answer that does not fit its schema back to the model, as often as the agent allows. */
async function checkOutput(run: Run): Promise<void> {
  const schema = run.agent.responseSchema;
  const state = stateOf(run);
  const step = lastStep(state);
  if (step !== null && isEmptyOutput(step)) return askForOutput(run, step);
  if (schema === null || !hasFinalResponse(state)) return;
  const json = parseJson(finalResponse(state));
  const parsed = json.ok ? await userCode(run, 'responseFormat', () => parse(schema, json.value)) : json;
  if (parsed.ok) return;
  const issues = describeIssues(parsed.issues);
  if (countOf(state, retryMark) >= run.agent.retry.maxOutputRetries) return giveUp(run, issues);
  askAgain(run, `Your answer does not fit the required format: ${issues}. ${again}`, retryMark);
}

const source = 'response-format';
const again = 'Answer again with JSON that fits, and nothing else.';

function askAgain(run: Run, text: string, mark: string): void {
  const executionId = stateOf(run).execution?.executionId ?? '';
  const metadata = { execution_id: executionId, is_trace: true, [mark]: true };
  const message = user(text, { metadata }, run.env);
  commit(run, { type: 'message-add', source, section: 'messages', message });
  commit(run, { type: 'continuation-request', source });
}

/** True for an answer without text under a response format. */
function isEmptyOutput(step: AgentStep): boolean {
  if (step.sent?.responseFormat == null || isInterrupted(step)) return false;
  return typeOf(step) === 'final-response' && responseText(step).trim() === '';
}

/** True for an empty answer under a response format that is requested once more, unless the agent allows no retry. */
function isAskedAgain(run: Run, step: AgentStep): boolean {
  return (
    isEmptyOutput(step) && run.agent.retry.maxOutputRetries > 0 && countOf(stateOf(run), emptyMark) === 0
  );
}

/** Requests the answer once more. @throws AgentError `output-invalid` when an earlier answer was empty too */
function askForOutput(run: Run, step: AgentStep): void {
  if (!isAskedAgain(run, step)) throw outputInvalid('there is no answer');
  askAgain(run, `Your answer was empty. ${again}`, emptyMark);
}

function giveUp(run: Run, issues: string): void {
  const error = errorInfo(outputInvalid(issues));
  commit(run, { type: 'error-record', error });
  const init = { message: error.message, source, context: { issues } };
  commit(run, { type: 'stop-signal', signal: signalOf('retry-limit-reached', init, run.env) });
}

/** Number of requests for another answer in this execution, by the mark of their messages. */
function countOf(state: AgentState, mark: string): number {
  const executionId = state.execution?.executionId;
  return messages(state).filter(
    ({ metadata }) => metadata[mark] === true && metadata['execution_id'] === executionId,
  ).length;
}
