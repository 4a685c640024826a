import { type Env, systemEnv } from '../env.ts';
import type { JsonObject, JsonValue } from '../../kit/json.ts';
import { AgentError } from '../../kit/agent-error.ts';
import { change } from './change.ts';
import { withToolExecution } from './tool-transitions.ts';
import type { AgentState, ToolExecution } from '../types.ts';

/** Decisions that hold for later calls live beside plugin state, so that they are saved with the session. */
const storageKey = 'vitrine:approvals';

export type RememberFor = 'execution' | 'session';
export type Decision = 'approved' | 'rejected';

/** Lets a waiting call run, with edited arguments if there are any. @throws AgentError `approval-unknown` */
export function withApproval(
  state: AgentState,
  toolCallId: string,
  options: { input?: JsonValue; remember?: RememberFor } = {},
  env: Env = systemEnv,
): AgentState {
  const { input, remember } = options;
  return answer(
    state,
    toolCallId,
    (execution, owner) => {
      const toolCall = input === undefined ? execution.toolCall : { ...execution.toolCall, input };
      const approval = {
        reason: execution.approval?.reason ?? null,
        decision: 'approved' as const,
        comment: null,
      };
      const next = withToolExecution(owner, { ...execution, toolCall, approval, status: 'requested' }, env);
      return remember ? withRemembered(next, execution.toolCall.name, 'approved', remember, env) : next;
    },
    env,
  );
}

/** Refuses a waiting call; the model is told the reason. @throws AgentError `approval-unknown` */
export function withRejection(
  state: AgentState,
  toolCallId: string,
  options: { reason?: string; remember?: RememberFor } = {},
  env: Env = systemEnv,
): AgentState {
  const { reason, remember } = options;
  return answer(
    state,
    toolCallId,
    (execution, owner) => {
      const approval = {
        reason: execution.approval?.reason ?? null,
        decision: 'rejected' as const,
        comment: reason ?? null,
      };
      const next = withToolExecution(owner, { ...execution, approval, status: 'requested' }, env);
      return remember ? withRemembered(next, execution.toolCall.name, 'rejected', remember, env) : next;
    },
    env,
  );
}

/** What the user has decided about all calls of a tool, for this session or this execution. */
export function rememberedDecision(state: AgentState, toolName: string): Decision | null {
  const data = state.plugins[storageKey]?.data as JsonObject | undefined;
  if (data === undefined) return null;
  const execution = data[state.execution?.executionId ?? ''] as JsonObject | undefined;
  const session = data['session'] as JsonObject | undefined;
  const found = execution?.[toolName] ?? session?.[toolName];
  return found === 'approved' || found === 'rejected' ? found : null;
}

function withRemembered(
  state: AgentState,
  tool: string,
  decision: Decision,
  scope: RememberFor,
  env: Env,
): AgentState {
  const entry = state.plugins[storageKey];
  const data = (entry?.data ?? {}) as JsonObject;
  const key = scope === 'session' ? 'session' : (state.execution?.executionId ?? 'session');
  // Of executions only the present one matters, so the record does not grow with the session.
  const kept = {
    ...(data['session'] ? { session: data['session'] } : {}),
    ...(data[key] ? { [key]: data[key] } : {}),
  };
  const decisions = { ...(data[key] as JsonObject | undefined), [tool]: decision };
  const next = { version: 1, revision: (entry?.revision ?? 0) + 1, data: { ...kept, [key]: decisions } };
  return change(state, { plugins: { ...state.plugins, [storageKey]: next } }, env);
}

/** Finds the waiting call, in a subagent's state too, and rebuilds the path to it. */
function answer(
  state: AgentState,
  toolCallId: string,
  update: (execution: ToolExecution, owner: AgentState) => AgentState,
  env: Env,
): AgentState {
  const next = answerWithin(state, toolCallId, update, env);
  if (next !== null) return next;
  throw new AgentError(
    'approval-unknown',
    `No call ${JSON.stringify(toolCallId)} waits for approval; it may have been answered already.`,
    {
      data: { toolCallId },
    },
  );
}

function answerWithin(
  state: AgentState,
  toolCallId: string,
  update: (execution: ToolExecution, owner: AgentState) => AgentState,
  env: Env,
): AgentState | null {
  for (const execution of state.execution?.currentStep?.toolExecutions ?? []) {
    if (execution.toolCall.id === toolCallId && execution.status === 'awaiting-approval')
      return update(execution, state);
    if (execution.status !== 'running' || execution.childState === null) continue;
    const childState = answerWithin(execution.childState, toolCallId, update, env);
    if (childState !== null) return withToolExecution(state, { ...execution, childState }, env);
  }
  return null;
}
