import type { AgentState, ExecutionState } from '../graph/types.ts';
import { memoize } from '../kit/memoize.ts';
import type { AgentEvent } from '../run/events.ts';

/** One recorded event, or several consecutive deltas of one part. */
export type RecordedEvent = {
  /** Position in the record, counted from 1, dropped entries included. */
  readonly number: number;
  readonly event: AgentEvent;
  /** Number of events that the entry stands for. */
  readonly count: number;
  /** The step of the event's agent, counted from 1; null outside any step. */
  readonly stepNumber: number | null;
  /** The tool of the event; null for an event without one. */
  readonly toolName: string | null;
};

/** Consecutive events of one journal, and the state before the first of them. */
export type RecordedPage = {
  readonly journalId: string;
  readonly base: AgentState;
  readonly events: readonly RecordedEvent[];
};

/**
 * The record of one session with all its journals: edits, new answers, branches and reloads each begin a journal. It
 * is a value; later events create another one, which shares all old pages.
 */
export type JournalRecord = {
  /** The pages, oldest first and never empty; the state before the first event is the `base` of the first page. */
  readonly pages: readonly RecordedPage[];
  /** The state after the last event. */
  readonly state: AgentState;
  /** Earlier executions without recorded events, as the session's store keeps them, oldest first. */
  readonly stored: readonly ExecutionState[];
  /** Number of the root's events before recording began. */
  readonly missed: number;
  /** Dropped events, the steps that began in them, and their bytes of JSON. */
  readonly dropped: { readonly events: number; readonly steps: number; readonly bytes: number };
};

/** All events of a record, oldest first; the same list for the same record. */
export const eventsOf: (record: JournalRecord) => readonly RecordedEvent[] = memoize((record) =>
  record.pages.flatMap(({ events }) => events),
);
