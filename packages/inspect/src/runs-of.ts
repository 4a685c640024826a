import type { AgentState, ExecutionState } from '@vitrine/core/internal/graph/types';
import { section } from '@vitrine/core/internal/graph/message-store';
import { text } from '@vitrine/core/internal/graph/message';
import { memoize } from '@vitrine/core/internal/kit/memoize';
import { eventsOf, type JournalRecord, recordAt, stateBefore } from './journal-record.ts';

/** One run of the root, as far as it is known. */
export type RecordedRun = {
  readonly executionId: string;
  /** Position among the runs of the session, counted from 1; runs replaced by an edit or a new answer count. */
  readonly number: number;
  /** The user message before the run; empty when it is unknown. */
  readonly request: string;
  /**
   * The source of the knowledge. `events`: all events were recorded. `state`: the run began before the recording, and
   * its earlier steps come from the state. `stored`: no event is left, and its steps come from the session's store.
   * `messages`: only its messages are left.
   */
  readonly known: 'events' | 'state' | 'stored' | 'messages';
  /**
   * Its first and last event, as indexes of `eventsOf(record)`; -1 before the first event. A last index below the
   * first means that the run is known from the state in which its journal began.
   */
  readonly first: number;
  readonly last: number;
};

/** The runs of the root in all journals of the record, oldest first. */
export const runsOf: (record: JournalRecord) => readonly RecordedRun[] = memoize((record) => {
  const opened = openedRuns(record);
  const requests = requestsIn(record.state);
  const earlier = earlierRuns(record, opened, requests);
  const end = eventsOf(record).length - 1;
  return [
    ...earlier,
    ...opened.map(({ until, ...run }, index) => {
      const next = (opened[index + 1]?.first ?? end + 1) - 1;
      const last = Math.max(run.first - 1, Math.min(next, until ?? end));
      const { executionId } = run;
      const request = saidIn(record, run.first, last) ?? requests.byRun.get(executionId)?.said;
      return { ...run, request: request ?? requestsIn(stateBefore(record, run.first)).last, last };
    }),
  ];
});

function earlierRuns(
  { state, stored }: JournalRecord,
  opened: readonly OpenedRun[],
  { byRun }: Requests,
): RecordedRun[] {
  const known = new Set(opened.map(({ executionId }) => executionId));
  const kept = new Map(stored.map((run) => [run.executionId, run.startedAt]));
  const ids = [...new Set([...byRun.keys(), ...kept.keys()])].filter((id) => !known.has(id));
  const at = (id: string): number => kept.get(id) ?? byRun.get(id)?.at ?? 0;
  const next = opened[0]?.number ?? state.executionCount + 1;
  return ids
    .sort((a, b) => at(a) - at(b))
    .map((executionId, index) => ({
      executionId,
      number: Math.max(1, next - ids.length + index),
      request: byRun.get(executionId)?.said ?? '',
      known: kept.has(executionId) ? 'stored' : 'messages',
      first: -1,
      last: -1,
    }));
}

function saidIn(record: JournalRecord, first: number, last: number): string | null {
  const events = eventsOf(record);
  for (let at = Math.max(0, first); at <= last; at++) {
    const event = events[at]?.event;
    if (event?.type === 'message-add' && event.path.length === 0 && event.message.role === 'user')
      return text(event.message);
  }
  return null;
}

type Requests = {
  readonly byRun: ReadonlyMap<string, { readonly said: string; readonly at: number }>;
  /** The last user message. */
  readonly last: string;
};

/** The user message before the first message of each run. */
function requestsIn(state: AgentState): Requests {
  const byRun = new Map<string, { readonly said: string; readonly at: number }>();
  let last = '';
  for (const message of section(state.context.store)) {
    const id = message.metadata['execution_id'];
    if (message.role === 'user') last = text(message);
    else if (typeof id === 'string' && !byRun.has(id)) byRun.set(id, { said: last, at: message.createdAt });
  }
  return { byRun, last };
}

/**
 * The record at the end of a run. One without events has the current state, with the stored run as its execution, or
 * without an execution when only messages are left.
 */
export function recordOfRun(record: JournalRecord, run: RecordedRun): JournalRecord {
  const { known, executionId, first, last } = run;
  if (known === 'stored' || known === 'messages') {
    const execution = record.stored.find((kept) => kept.executionId === executionId) ?? null;
    return withoutEvents(record, { ...record.state, execution, executionCount: run.number });
  }
  const isToday = last === eventsOf(record).length - 1 && record.state.execution?.executionId === executionId;
  if (isToday) return record;
  if (last >= first) return recordAt(record, last);
  // The run had no further events: it is as its journal began.
  return withoutEvents(record, stateBefore(record, first));
}

function withoutEvents(record: JournalRecord, state: AgentState): JournalRecord {
  return { ...record, state, pages: [{ journalId: '', base: state, events: [] }] };
}

/** A run with recorded events, or with the state in which a journal began. */
type OpenedRun = {
  readonly executionId: string;
  readonly number: number;
  readonly known: 'events' | 'state';
  /** Its first event, as an index of `eventsOf(record)`. */
  readonly first: number;
  /** The last event before a journal that does not hold the run; null for none. */
  readonly until: number | null;
};

/** The runs of a record, oldest first. Events after the end of a run belong to the next one. */
const openedRuns: (record: JournalRecord) => readonly OpenedRun[] = memoize(({ pages }) => {
  const opened: OpenedRun[] = [];
  const known = new Set<string>();
  const open = (run: Omit<OpenedRun, 'until'>): void => {
    if (known.has(run.executionId)) return;
    known.add(run.executionId);
    opened.push({ ...run, until: null });
  };
  const leave = (base: AgentState, until: number): void => {
    const last = opened.pop();
    if (last === undefined) return;
    const isHeld = last.executionId === base.execution?.executionId;
    opened.push(isHeld ? last : { ...last, until: last.until ?? until });
  };
  let journal: string | null = null;
  let next: number | null = null;
  let index = 0;
  for (const { journalId, base, events } of pages) {
    if (journalId !== journal) {
      leave(base, index - 1);
      const { execution, executionCount: number } = base;
      const first = journal === null ? -1 : index;
      if (execution) open({ executionId: execution.executionId, number, known: 'state', first });
      next = isOver(execution) ? index : null;
      journal = journalId;
    } else if (base.execution && !known.has(base.execution.executionId)) {
      // The run began in a part without events.
      const { execution, executionCount: number } = base;
      open({ executionId: execution.executionId, number, known: 'state', first: index });
    }
    let number = base.executionCount;
    for (const { event } of events) {
      if (event.type === 'execution-start' && event.path.length === 0) {
        if (event.executionId !== base.execution?.executionId) number++;
        open({ executionId: event.executionId, number, known: 'events', first: next ?? index });
        next = null;
      }
      if (event.path.length === 0 && event.type === 'execution-end') next = index + 1;
      // The run went on, and has what came behind its end.
      if (event.path.length === 0 && event.type === 'execution-resume') next = null;
      index++;
    }
  }
  return opened;
});

function isOver(execution: ExecutionState | null): boolean {
  return execution === null || (execution.status !== 'pending' && execution.status !== 'in-progress');
}
