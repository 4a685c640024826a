import type { AgentState, ExecutionState } from '../../graph/types.ts';
import { isFinished } from '../../graph/execution-state.ts';
import { apply } from '../../run/apply.ts';
import type { AgentChange } from '../../run/events.ts';
import type { SessionCheckpoint, SessionRecord } from './session-store.ts';

/** A stored session as it stood when its last event was written. */
export type LiveRecord = {
  readonly state: AgentState;
  readonly checkpoints: readonly SessionCheckpoint[];
  /** The finished executions that the tail replaced, oldest first. */
  readonly replacedRuns: readonly ExecutionState[];
};

/** Folds the tail of a stored session into its snapshot; whatever the events do not touch is shared. */
export function liveRecord(record: SessionRecord): LiveRecord {
  let { state } = record;
  const checkpoints = [...record.checkpoints];
  const replacedRuns: ExecutionState[] = [];
  for (const event of record.journal.tail) {
    const checkpoint = checkpointBefore(state, event);
    if (checkpoint !== null) checkpoints.push(checkpoint);
    const next = apply(state, event);
    const replaced = replacedRun(state, next);
    if (replaced !== null) replacedRuns.push(replaced);
    state = next;
  }
  return { state, checkpoints, replacedRuns };
}

/** What stands before a turn that begins with an event; null for any other event. */
export function checkpointBefore(state: AgentState, event: AgentChange): SessionCheckpoint | null {
  if (event.type !== 'message-add' || event.path.length > 0 || event.message.role !== 'user') return null;
  if (event.source !== 'user' || event.seq <= state.seq) return null;
  return { messageId: event.message.id, store: state.context.store, plugins: state.plugins };
}

/** The finished execution that another one has taken the place of; null when none has. */
export function replacedRun(before: AgentState, after: AgentState): ExecutionState | null {
  const { execution } = before;
  if (execution === null || !isFinished(execution)) return null;
  return after.execution?.executionId === execution.executionId ? null : execution;
}
