import type { AgentState, ExecutionState } from '../graph/types.ts';
import { memoize } from '../kit/memoize.ts';
import type { AgentEvent } from '../run/events.ts';

/** One event as it was recorded, or several deltas of one part that came in a row. */
export type RecordedEvent = {
  /** Counts the entries of one record from 1, those that were dropped included. */
  readonly number: number;
  readonly event: AgentEvent;
  /** How many events it stands for. */
  readonly count: number;
  /** The step that it belongs to, of the agent that speaks, counted from 1; null outside any step. */
  readonly stepNumber: number | null;
  /** The tool that it is about; null when it is about none. */
  readonly toolName: string | null;
};

/** Events of one journal that were recorded in a row, and the state that the first of them found. */
export type RecordedPage = {
  readonly journalId: string;
  readonly base: AgentState;
  readonly events: readonly RecordedEvent[];
};

/**
 * What was recorded of one session: of all its journals, since edits, new answers, branches and reloads begin one each.
 * A value: what is recorded later makes another one, which shares all old pages.
 */
export type JournalRecord = {
  /** Oldest first, never empty; the state before the first event is the `base` of the first page. */
  readonly pages: readonly RecordedPage[];
  /** The state after the last event. */
  readonly state: AgentState;
  /** Earlier executions that no event was recorded of, as the session's store keeps them, oldest first. */
  readonly stored: readonly ExecutionState[];
  /** Events of the root that were committed before recording began. */
  readonly missed: number;
  /** What had to make room: events, steps that had begun in them, and bytes of JSON. */
  readonly dropped: { readonly events: number; readonly steps: number; readonly bytes: number };
};

/** All events of a record, oldest first; the same list for the same record. */
export const eventsOf: (record: JournalRecord) => readonly RecordedEvent[] = memoize((record) =>
  record.pages.flatMap(({ events }) => events),
);
