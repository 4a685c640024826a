import type { AgentState, ExecutionState } from '../../graph/types.ts';
import { currentStep } from '../../graph/agent-state/accessors.ts';
import { isFinished } from '../../graph/execution-state.ts';
import { apply } from '../../run/apply.ts';
import type { AgentChange } from '../../run/events.ts';
import type { SessionCheckpoint, SessionRecord } from './session-store.ts';

/** A stored session at its last event. */
export type LiveRecord = {
  readonly state: AgentState;
  readonly checkpoints: readonly SessionCheckpoint[];
  /** The finished executions that the tail replaced, oldest first. */
  readonly replacedRuns: readonly ExecutionState[];
};

/** Folds the tail of a stored session into its snapshot. Untouched branches of the state keep their reference. */
export function liveRecord(record: SessionRecord): LiveRecord {
  let { state } = record;
  const checkpoints = [...record.checkpoints];
  const replacedRuns: ExecutionState[] = [];
  for (const event of record.journal.tail) {
    const checkpoint = checkpointBefore(state, event, checkpoints.at(-1));
    if (checkpoint !== null) checkpoints.push(checkpoint);
    const next = apply(state, event);
    const replaced = replacedRun(state, next);
    if (replaced !== null) replacedRuns.push(replaced);
    state = next;
  }
  return { state, checkpoints, replacedRuns };
}

/**
 * Returns the checkpoint before a message that an event begins; null for any other event.
 * Such a message is one of the user, or an answer before which plugins wrote since the `last` checkpoint.
 */
export function checkpointBefore(
  state: AgentState,
  event: AgentChange,
  last?: SessionCheckpoint,
): SessionCheckpoint | null {
  if (event.path.length > 0 || event.seq <= state.seq) return null;
  const messageId = begunBy(state, event, last);
  return messageId === null ? null : { messageId, store: state.context.store, plugins: state.plugins };
}

function begunBy(state: AgentState, event: AgentChange, last: SessionCheckpoint | undefined): string | null {
  if (event.type === 'message-add')
    return event.source === 'user' && event.message.role === 'user' ? event.message.id : null;
  if (event.type !== 'inference-start' || last === undefined) return null;
  // An answer that broke off is begun again under another id.
  const isAgain = currentStep(state)?.outputMessages[0]?.id === last.messageId;
  return isAgain || state.plugins !== last.plugins ? event.messageId : null;
}

/** The finished execution that a new one replaced; null when none was replaced. */
export function replacedRun(before: AgentState, after: AgentState): ExecutionState | null {
  const { execution } = before;
  if (execution === null || !isFinished(execution)) return null;
  return after.execution?.executionId === execution.executionId ? null : execution;
}

/** The session with its tail folded in, for reading. Writes need the record that `load` returned. */
export function resolveRecord(record: SessionRecord): SessionRecord {
  if (record.journal.tail.length === 0) return record;
  const { state, checkpoints } = liveRecord(record);
  return { ...record, state, checkpoints, journal: { ...record.journal, tail: [] } };
}
