import { pendingApprovals } from '../../graph/agent-state/accessors.ts';
import type { AgentState } from '../../graph/types.ts';
import type { SessionActivity, SessionStatus } from '../agent-session.ts';
import { isElsewhere, type SessionModel } from '../machine/session-model.ts';
import { isOpen, isWaiting, liveMessages } from '../machine/state-facts.ts';

/** The input of status and activity. */
export type ProgressSource = {
  readonly model: SessionModel;
  readonly state: AgentState;
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
  // Without a store there is nothing to read.
  if (model.phase === 'loading' && model.hasStore) return 'loading';
  if (model.conflict?.phase === 'asking') return 'conflict';
  if (work !== null) return work.hasAnswer ? 'streaming' : 'submitted';
  if (isAsked || isTakingUp(model)) return 'submitted';
  if (isWaiting(state)) return 'awaiting-input';
  if (model.error !== null) return 'error';
  if (isElsewhere(model)) return isOpen(state) && hasOutput(state) ? 'streaming' : 'submitted';
  if (!isOpen(state)) return 'ready';
  // The leader has not reported its status yet.
  if (model.isUnheard === true) return hasOutput(state) ? 'streaming' : 'submitted';
  return 'interrupted';
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

function activityOf({ model, state, work }: ProgressSource, status: SessionStatus): SessionActivity {
  if (work !== null) return work.activity;
  if (isElsewhere(model) && (status === 'submitted' || status === 'streaming')) return { type: 'elsewhere' };
  if (status === 'submitted') return { type: 'thinking' };
  if (model.phase !== 'open' || !isWaiting(state)) return { type: 'idle' };
  return waiting(state);
}

/** The activity of a run that waits for a person. */
export function waiting(state: AgentState): SessionActivity {
  return { type: 'waiting', toolCallIds: pendingApprovals(state).map(({ id }) => id) };
}
