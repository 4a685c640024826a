import type { JsonValue } from '../kit/json.ts';
import { AgentError } from '../kit/agent-error.ts';
import { textOrNull } from '../kit/text.ts';
import { toJson } from '../kit/to-json.ts';
import type { RememberFor } from '../graph/agent-state/remembered.ts';
import { type Env, systemEnv } from '../graph/env.ts';
import { isWaiting } from '../graph/execution-state.ts';
import { isFinished } from '../graph/tool-execution.ts';
import type { AgentState, ToolExecution } from '../graph/types.ts';
import { apply } from './apply.ts';
import type { AgentEventBody } from './events.ts';
import { stateAtPath } from './state-at.ts';

/** A person's answer to a waiting call. */
export type CallAnswer =
  | { readonly type: 'approve'; readonly input?: JsonValue; readonly remember?: RememberFor }
  | { readonly type: 'reject'; readonly reason?: string; readonly remember?: RememberFor }
  | { readonly type: 'respond'; readonly output: JsonValue };

export type AddressedEvent = { readonly path: readonly string[]; readonly body: AgentEventBody };

/**
 * Returns the events of an answer, for calls of subagents too. Remembered decisions are written to the root
 * agent, so that they outlive the subagent. All values of the answer are copied as JSON.
 * @throws AgentError `approval-unknown` when no call with that id waits for such an answer.
 */
export function answerCall(state: AgentState, toolCallId: string, answer: CallAnswer): AddressedEvent[] {
  const found = findCall(state, toolCallId, []);
  // A call that a fork holds takes a result in place of its tool.
  const isGiven = answer.type === 'respond' && found?.call.approval?.cause !== 'fork';
  const status = isGiven ? 'awaiting-output' : 'awaiting-approval';
  if (found === null || found.call.status !== status) throw unknown(toolCallId);
  const { path, call } = found;
  const at = (body: AgentEventBody): AddressedEvent => ({ path, body });
  if (answer.type === 'respond') {
    return [
      at({
        type: 'tool-end',
        toolCallId,
        status: 'completed',
        result: toJson(answer.output),
        error: null,
        durationMs: null,
        pluginWrites: [],
      }),
    ];
  }
  const decision = answer.type === 'approve' ? 'approved' : 'rejected';
  const { remember: scope } = answer;
  const given = answer.type === 'approve' ? answer.input : undefined;
  // The answer to a form is no change of the arguments.
  const isForm = call.approval?.form !== undefined;
  const isRemembered = !isForm && (scope === 'execution' || scope === 'session');
  const { name: toolName } = call.toolCall;
  const remember = { type: 'approval-remember', toolName, decision } as const;
  return [
    ...(given !== undefined && !isForm
      ? [at({ type: 'call-change', source: 'user', toolCallId, input: toJson(given) })]
      : []),
    at({
      type: 'approval-answer',
      toolCallId,
      decision,
      comment: answer.type === 'reject' ? textOrNull(answer.reason) : null,
      isEdited: given !== undefined && !isForm,
      ...(given !== undefined && isForm ? { answer: toJson(given) } : {}),
    }),
    ...(isRemembered ? [{ path: [], body: { ...remember, scope } }] : []),
  ];
}

/** The state with an answer given, for scripts that keep their state. @throws AgentError `approval-unknown` */
function withAnswer(
  state: AgentState,
  toolCallId: string,
  answer: CallAnswer,
  env: Env = systemEnv,
): AgentState {
  return answerCall(state, toolCallId, answer).reduce((next, { path, body }) => {
    const agent = stateAtPath(next, path) ?? next;
    return apply(next, { ...body, path, seq: agent.seq + 1, at: env.now() });
  }, state);
}

/** True when a paused run has work to do: a call to go on with or to settle, or none that waits. */
export function needsRun(state: AgentState, root: AgentState = state): boolean {
  // A person has to release an agent at a breakpoint first.
  if (state.execution?.breakHit) return false;
  const calls = state.execution?.currentStep?.toolExecutions ?? [];
  // `every` is also true without any call: then nothing has to be waited for.
  return calls.every(isSettled) || calls.some((call) => isReady(call, root));
}

/** True for a call that can go on without a person. `root` is the state of the root agent. */
export function isReady(call: ToolExecution, root: AgentState): boolean {
  if (isFinished(call)) return call.settledAt === null;
  if (isWaiting(call) || (isJoint(call) && waitsJointly(root))) return false;
  return call.childState === null || needsRun(call.childState, root);
}

/** True for a call that starts only when all such calls of the step in flight are answered, those of subagents too. */
export function isJoint({ approval }: ToolExecution): boolean {
  return approval?.isJoint === true;
}

function waitsJointly({ execution }: AgentState): boolean {
  return (execution?.currentStep?.toolExecutions ?? []).some(
    (call) =>
      (isJoint(call) && isWaiting(call)) ||
      (call.childState !== null && !isFinished(call) && waitsJointly(call.childState)),
  );
}

/** True for a call that has ended and whose hooks are done. */
export function isSettled(call: ToolExecution): boolean {
  return isFinished(call) && call.settledAt !== null;
}

function findCall(
  state: AgentState,
  id: string,
  path: readonly string[],
): { path: readonly string[]; call: ToolExecution } | null {
  for (const call of state.execution?.currentStep?.toolExecutions ?? []) {
    if (call.id === id) return { path, call };
    const below = call.childState === null ? null : findCall(call.childState, id, [...path, call.id]);
    if (below !== null) return below;
  }
  return null;
}

function unknown(toolCallId: string): AgentError {
  const message = `No call ${JSON.stringify(toolCallId)} waits for this answer; it may have been answered already.`;
  return new AgentError('approval-unknown', message, { data: { toolCallId } });
}

/** Approves a waiting call, with edited arguments if there are any. @throws AgentError `approval-unknown` */
export function withApproval(
  state: AgentState,
  toolCallId: string,
  options: { input?: JsonValue; remember?: RememberFor } = {},
  env: Env = systemEnv,
): AgentState {
  return withAnswer(state, toolCallId, { type: 'approve', ...options }, env);
}

/** Rejects a waiting call and tells the model the reason. @throws AgentError `approval-unknown` */
export function withRejection(
  state: AgentState,
  toolCallId: string,
  options: { reason?: string; remember?: RememberFor } = {},
  env: Env = systemEnv,
): AgentState {
  return withAnswer(state, toolCallId, { type: 'reject', ...options }, env);
}

/** Sets the output of a call that the user interface answers. @throws AgentError `approval-unknown` */
export function withOutput(
  state: AgentState,
  toolCallId: string,
  output: JsonValue,
  env: Env = systemEnv,
): AgentState {
  return withAnswer(state, toolCallId, { type: 'respond', output }, env);
}
