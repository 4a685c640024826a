import type { AgentDefinition } from '../agent/agent-definition.ts';
import { currentStep, pendingApprovals } from '../graph/agent-state/accessors.ts';
import type { AgentState, ToolExecution } from '../graph/types.ts';
import type { SessionActivity, SessionStatus } from './agent-session.ts';
import type { ActiveRun, Retrying, SessionModel } from './session-model.ts';
import { isOpen, isWaiting } from './state-facts.ts';

/** What status and activity are made of. */
export type ProgressSource = {
  readonly model: SessionModel;
  readonly state: AgentState;
  readonly agent: AgentDefinition;
  /** A command waits that will make a turn. */
  readonly isAsked: boolean;
};

/** What is going on: the one place where it is found out, for chat, panel and hooks alike. */
export function progressOf(source: ProgressSource): {
  readonly status: SessionStatus;
  readonly activity: SessionActivity;
} {
  const status = statusOf(source);
  return { status, activity: activityOf(source, status) };
}

function statusOf({ model, state, isAsked }: ProgressSource): SessionStatus {
  if (model.phase === 'deleted') return 'deleted';
  // Without a store there is nothing to read.
  if (model.phase === 'loading' && model.hasStore) return 'loading';
  if (model.run !== null) return hasAnswer(model.run, state) ? 'streaming' : 'submitted';
  if (isAsked) return 'submitted';
  if (isWaiting(state)) return 'awaiting-input';
  if (model.error !== null) return 'error';
  return isOpen(state) ? 'interrupted' : 'ready';
}

function hasAnswer({ phase, executionBefore }: ActiveRun, state: AgentState): boolean {
  const { execution } = state;
  if (phase !== 'running' || execution === null) return false;
  // Between the end of the execution and the end of the run nothing new begins.
  if (!isOpen(state)) return execution.executionId !== executionBefore;
  if (execution.stepExecutions.length > 0) return true;
  return (currentStep(state)?.outputMessages ?? []).some(({ parts }) => parts.length > 0);
}

function activityOf({ model, state, agent }: ProgressSource, status: SessionStatus): SessionActivity {
  if (model.run !== null) return workOf(state, agent, model.retrying, '');
  if (status === 'submitted') return { type: 'thinking' };
  if (model.phase !== 'open' || !isWaiting(state)) return { type: 'idle' };
  return waiting(state);
}

function waiting(state: AgentState): SessionActivity {
  return { type: 'waiting', toolCallIds: pendingApprovals(state).map(({ id }) => id) };
}

/** What an agent that runs is at; a subagent's work is nested in its parent's. */
function workOf(
  state: AgentState,
  agent: AgentDefinition | undefined,
  retrying: readonly Retrying[],
  path: string,
): SessionActivity {
  const step = isOpen(state) ? currentStep(state) : null;
  if (step === null) return { type: 'thinking' };
  const running = step.toolExecutions.filter(({ status }) => status === 'running');
  const call = running.find((entry) => !isOnlyWaiting(entry)) ?? running[0];
  if (call !== undefined) {
    const { id: toolCallId, toolCall, childState, progress } = call;
    const others = running.length - 1;
    if (childState === null) return { type: 'tool', toolCallId, toolName: toolCall.name, progress, others };
    const name = subagentName(call);
    const child = agent?.subagents.find((entry) => entry.agent.name === name)?.agent;
    const activity = workOf(childState, child, retrying, `${path}/${toolCallId}`);
    return { type: 'subagent', toolCallId, name, activity, others };
  }
  if (pendingApprovals(state).length > 0) return waiting(state);
  const attempt = retrying.find((entry) => entry.path === path);
  if (attempt !== undefined) {
    const maxAttempts = agent?.retry.maxAttempts ?? attempt.attempt;
    return { type: 'retrying', attempt: attempt.attempt, maxAttempts, until: attempt.until };
  }
  const isAnswering =
    step.inferenceResponse === null && step.outputMessages.at(-1)?.parts.at(-1)?.type === 'text';
  return { type: isAnswering ? 'answering' : 'thinking' };
}

/** A subagent that does nothing but wait for a person. */
function isOnlyWaiting({ childState }: ToolExecution): boolean {
  if (childState === null || !isWaiting(childState)) return false;
  return childState.execution?.waitingSince !== null;
}

/** A call that delegates names the agent in its input. */
function subagentName({ toolCall }: ToolExecution): string {
  const { input } = toolCall;
  const name = typeof input === 'object' && input !== null && 'agent' in input ? input['agent'] : null;
  return typeof name === 'string' ? name : toolCall.name;
}
