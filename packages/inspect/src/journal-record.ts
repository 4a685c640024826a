import type { AgentState, ExecutionState } from '@vitrine/core/internal/graph/types';
import { memoize } from '@vitrine/core/internal/kit/memoize';
import type { AgentEvent } from '@vitrine/core/internal/run/events';
import { apply } from '@vitrine/core/internal/run/apply';
import type { SourceKnowledge } from '@vitrine/core/internal/session/hub';

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
  /** The facts that the source could tell; absent when it could tell all of them. */
  readonly knows?: SourceKnowledge;
  /** Earlier executions without recorded events, as the session's store keeps them, oldest first. */
  readonly stored: readonly ExecutionState[];
  /** Number of the root's events before recording began. */
  readonly missed: number;
  /** Dropped events, the steps that began in them, and their bytes of JSON. */
  readonly dropped: { readonly events: number; readonly steps: number; readonly bytes: number };
};

export const facts: readonly (keyof SourceKnowledge)[] = ['prompt', 'usage', 'times', 'results'];

/** All events of a record, oldest first; the same list for the same record. */
export const eventsOf: (record: JournalRecord) => readonly RecordedEvent[] = memoize((record) =>
  record.pages.flatMap(({ events }) => events),
);

/** A cache of one page, because a reader of a record stays on one page for a while. */
let lastPage: { readonly page: RecordedPage; readonly states: AgentState[] } | null = null;

/**
 * The state after the event at an index of `eventsOf(record)`; -1 is the state before the first, and the last index is
 * the live state itself. Branches that no event touched are shared.
 */
export function stateAt(record: JournalRecord, index: number): AgentState {
  let at = Math.max(-1, index);
  for (const page of record.pages) {
    const isLast = page === record.pages.at(-1);
    if (isLast && at >= page.events.length - 1) return record.state;
    if (at < page.events.length) return foldedTo(page, at);
    at -= page.events.length;
  }
  return record.state;
}

/** The state before the event at an index of `eventsOf(record)`, also at the start of a journal. */
export function stateBefore(record: JournalRecord, index: number): AgentState {
  let at = index;
  for (const page of record.pages) {
    if (at === 0 && (page.events.length > 0 || page === record.pages.at(-1))) return page.base;
    at -= page.events.length;
    if (at < 0) break;
  }
  return stateAt(record, index - 1);
}

function foldedTo(page: RecordedPage, at: number): AgentState {
  if (lastPage?.page !== page) lastPage = { page, states: [] };
  const { states } = lastPage;
  for (let next = states.length; next <= at; next++) {
    const entry = page.events[next];
    const before = states[next - 1] ?? page.base;
    states.push(entry ? apply(before, entry.event) : before);
  }
  return states[at] ?? page.base;
}

/** The record after the event at an index of `eventsOf(record)`; -1 is before the first one. */
export function recordAt(record: JournalRecord, index: number): JournalRecord {
  let left = Math.max(-1, index) + 1;
  const pages = [];
  for (const page of record.pages) {
    const isWhole = left >= page.events.length;
    pages.push(isWhole ? page : { ...page, events: page.events.slice(0, left) });
    left -= page.events.length;
    if (left < 0 || (left === 0 && page !== record.pages.at(-1))) break;
  }
  const isAll = pages.length === record.pages.length && pages.at(-1) === record.pages.at(-1);
  return isAll ? record : { ...record, pages, state: stateAt(record, index) };
}
