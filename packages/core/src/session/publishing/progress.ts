import { pendingApprovals } from '../../graph/agent-state/views.ts';
import type { AgentState } from '../../graph/types.ts';
import type { SessionActivity, SessionStatus } from '../agent-session.ts';
import type { SessionModel } from '../machine/session-model.ts';
import { isOpen, isWaiting } from '../machine/state-facts.ts';

/** What status and activity are made of. */
export type ProgressSource = {
  readonly model: SessionModel;
  readonly state: AgentState;
  /** A command waits that will make a turn. */
  readonly isAsked: boolean;
  /** What the run that goes on is at; null when none does. */
  readonly work: Work | null;
};

/** What a run is at. */
export type Work = { readonly hasAnswer: boolean; readonly activity: SessionActivity };

/** What is going on: the one place where it is found out, for chat, panel and hooks alike. */
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
  if (work !== null) return work.hasAnswer ? 'streaming' : 'submitted';
  if (isAsked) return 'submitted';
  if (isWaiting(state)) return 'awaiting-input';
  if (model.error !== null) return 'error';
  return isOpen(state) ? 'interrupted' : 'ready';
}

function activityOf({ model, state, work }: ProgressSource, status: SessionStatus): SessionActivity {
  if (work !== null) return work.activity;
  if (status === 'submitted') return { type: 'thinking' };
  if (model.phase !== 'open' || !isWaiting(state)) return { type: 'idle' };
  return waiting(state);
}

/** It waits for a person. */
export function waiting(state: AgentState): SessionActivity {
  return { type: 'waiting', toolCallIds: pendingApprovals(state).map(({ id }) => id) };
}
