import { pendingApprovals, currentStep } from '../../graph/agent-state/accessors.ts';
import { subagentName } from '../../graph/tool-execution.ts';
import type { AgentState, ToolExecution } from '../../graph/types.ts';
import type { SessionActivity, SessionStatus } from '../agent-session.ts';
import { isElsewhere, type SessionModel, type ActiveRun, type Retrying } from '../machine/session-model.ts';
import { isOpen, isWaiting, liveMessages } from '../machine/state-facts.ts';
import type { LinkConnection } from '../stores/tab-link.ts';
import type { AgentDefinition } from '../../agent/agent-definition.ts';

/** The input of status and activity. */
export type ProgressSource = {
  readonly model: SessionModel;
  readonly state: AgentState;
  readonly connection: LinkConnection;
  /** True when a waiting command will make a turn. */
  readonly isAsked: boolean;
  /** The current work of the run; null without one. */
  readonly work: Work | null;
};

/** The current work of a run. */
export type Work = { readonly hasAnswer: boolean; readonly activity: SessionActivity };

/** Returns status and activity, for chat, panel and hooks alike. They are computed only here. */
export function progressOf(source: ProgressSource): {
  readonly status: SessionStatus;
  readonly activity: SessionActivity;
} {
  const status = statusOf(source);
  return { status, activity: activityOf(source, status) };
}

function statusOf({ model, state, isAsked, work }: ProgressSource): SessionStatus {
  if (model.phase === 'deleted') return 'deleted';
  if (model.phase === 'ended') return 'error';
  // Without a store there is nothing to read.
  if (model.phase === 'loading' && model.hasStore) return 'loading';
  if (model.conflict?.phase === 'asking') return 'conflict';
  // What goes on there is not known here.
  if ((model.moved ?? null) !== null) return 'ready';
  if (work !== null) return work.hasAnswer ? 'streaming' : 'submitted';
  if (isAsked || isTakingUp(model)) return 'submitted';
  if (isWaiting(state)) return 'awaiting-input';
  if (model.error !== null) return 'error';
  if (isElsewhere(model)) return isOpen(state) && hasOutput(state) ? 'streaming' : 'submitted';
  if (!isOpen(state)) return 'ready';
  if (isAboutToGoOn(model)) return hasOutput(state) ? 'streaming' : 'submitted';
  return 'interrupted';
}

/** True for a follower whose leader has not reported its status yet, or has not begun to go on with the open run. */
function isAboutToGoOn({ isFollowing = false, isUnheard = false, goesOn }: SessionModel): boolean {
  return isUnheard || (isFollowing && goesOn);
}

/** True when the open run has produced output. */
function hasOutput(state: AgentState): boolean {
  return (
    (state.execution?.stepExecutions.length ?? 0) > 0 ||
    liveMessages(state).some(({ parts }) => parts.length > 0)
  );
}

/** True when the turn was overtaken and the stored session is being read. */
function isTakingUp({ conflict = null }: SessionModel): boolean {
  return conflict !== null && conflict.phase === 'reading' && conflict.run !== null;
}

function activityOf(
  { model, state, connection, work }: ProgressSource,
  status: SessionStatus,
): SessionActivity {
  // What goes on there is not known until it is back.
  if (connection === 'reconnecting' || connection === 'offline') return { type: connection };
  if (work !== null) return work.activity;
  if (isElsewhere(model) && (status === 'submitted' || status === 'streaming')) return { type: 'elsewhere' };
  if (status === 'submitted') return { type: 'thinking' };
  if (model.phase !== 'open' || !isWaiting(state)) return { type: 'idle' };
  return waiting(state);
}

/** The activity of a run that waits for a person; questions come before breakpoints. */
export function waiting(state: AgentState): SessionActivity {
  if (pendingApprovals(state).length === 0) return { type: 'paused' };
  return { type: 'waiting', toolCallIds: pendingApprovals(state).map(({ id }) => id) };
}

/** Returns the current work of the active run; null without one. */
export function workOf(
  { run, retrying }: SessionModel,
  state: AgentState,
  agent: AgentDefinition,
): Work | null {
  if (run === null) return null;
  return { hasAnswer: hasAnswer(run, state), activity: workingActivity(state, agent, retrying, '') };
}

function hasAnswer({ phase, executionBefore }: ActiveRun, state: AgentState): boolean {
  const { execution } = state;
  if (phase !== 'running' || execution === null) return false;
  // Between the end of the execution and the end of the run nothing new begins.
  if (!isOpen(state)) return execution.executionId !== executionBefore;
  if (execution.stepExecutions.length > 0) return true;
  return (currentStep(state)?.outputMessages ?? []).some(({ parts }) => parts.length > 0);
}

/** The activity of a running agent; that of a subagent is nested in its parent's. */
function workingActivity(
  state: AgentState,
  agent: AgentDefinition | undefined,
  retrying: readonly Retrying[],
  path: string,
): SessionActivity {
  const step = isOpen(state) ? currentStep(state) : null;
  if (step === null && isOpen(state) && state.execution?.breakHit) return { type: 'paused' };
  if (step === null) return { type: 'thinking' };
  const running = step.toolExecutions.filter(({ status }) => status === 'running');
  const call = running.find((entry) => !isOnlyWaiting(entry)) ?? running[0];
  if (call !== undefined) {
    const { id: toolCallId, toolCall, childState, progress } = call;
    const others = running.length - 1;
    if (childState === null) return { type: 'tool', toolCallId, toolName: toolCall.name, progress, others };
    const name = subagentName(call);
    const child = agent?.subagents.find((entry) => entry.agent.name === name)?.agent;
    const activity = workingActivity(childState, child, retrying, `${path}/${toolCallId}`);
    return { type: 'subagent', toolCallId, name, activity, others };
  }
  if (pendingApprovals(state).length > 0 || state.execution?.breakHit) return waiting(state);
  const attempt = retrying.find((entry) => entry.path === path);
  if (attempt !== undefined) {
    const maxAttempts = agent?.retry.maxAttempts ?? attempt.attempt;
    return { type: 'retrying', attempt: attempt.attempt, maxAttempts, until: attempt.until };
  }
  const isAnswering =
    step.inferenceResponse === null && step.outputMessages.at(-1)?.parts.at(-1)?.type === 'text';
  return { type: isAnswering ? 'answering' : 'thinking' };
}

/** True for a subagent that only waits for a person. */
function isOnlyWaiting({ childState }: ToolExecution): boolean {
  if (childState === null || !isWaiting(childState)) return false;
  return childState.execution?.waitingSince !== null;
}
