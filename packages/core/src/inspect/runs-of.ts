import type { AgentState } from '../graph/types.ts';
import { section } from '../graph/sections.ts';
import { text } from '../graph/message.ts';
import { memoize } from '../kit/memoize.ts';
import { eventsOf, type JournalRecord } from './journal-record.ts';

/** One run of the root, as far as it is known. */
export type RecordedRun = {
  readonly executionId: string;
  /** Counts the runs of the state from 1. */
  readonly number: number;
  /** What the person said before it; empty when that is not known. */
  readonly request: string;
  /**
   * `events`: all of it was recorded. `state`: it had begun before, so its earlier steps are known as they stand in
   * the state. `messages`: nothing is left of it but its messages.
   */
  readonly known: 'events' | 'state' | 'messages';
  /** Its first and last event, as indexes of `eventsOf(record)`; -1 before the first event. */
  readonly first: number;
  readonly last: number;
};

type Open = { readonly executionId: string; readonly known: 'events' | 'state'; readonly first: number };

/** The runs of the root, oldest first. */
export const runsOf: (record: JournalRecord) => readonly RecordedRun[] = memoize((record) => {
  const opened = openedIn(record);
  const known = new Set(opened.map(({ executionId }) => executionId));
  const requests = requestsIn(record.state);
  const earlier = [...requests.byRun.keys()].filter((id) => !known.has(id));
  const count = record.state.executionCount;
  const total = earlier.length + opened.length;
  const numberAt = (index: number): number => Math.max(1, count - (total - 1 - index));
  const end = eventsOf(record).length - 1;
  return [
    ...earlier.map((executionId, index) => ({
      executionId,
      number: numberAt(index),
      request: requests.byRun.get(executionId) ?? '',
      known: 'messages' as const,
      first: -1,
      last: -1,
    })),
    ...opened.map((run, index) => {
      const last = (opened[index + 1]?.first ?? end + 1) - 1;
      const { executionId } = run;
      const request = saidIn(record, run.first, last) ?? requests.byRun.get(executionId) ?? requests.last;
      return { ...run, number: numberAt(earlier.length + index), request, last };
    }),
  ];
});

/** Those of which events or a state are there; what is said after the end of a run belongs to the next one. */
function openedIn(record: JournalRecord): Open[] {
  const base = record.pages[0]?.base.execution ?? null;
  const opened: Open[] = base ? [{ executionId: base.executionId, known: 'state', first: -1 }] : [];
  let next = base === null || isEnded(base.status) ? 0 : null;
  for (const [index, { event }] of eventsOf(record).entries()) {
    if (event.path.length > 0) continue;
    if (event.type === 'execution-end') next = index + 1;
    if (event.type !== 'execution-start') continue;
    if (event.executionId !== opened.at(-1)?.executionId)
      opened.push({ executionId: event.executionId, known: 'events', first: next ?? index });
    next = null;
  }
  return opened;
}

function isEnded(status: string): boolean {
  return status !== 'pending' && status !== 'in-progress';
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

/** What was said before the first message of each run. */
function requestsIn(state: AgentState): {
  readonly byRun: ReadonlyMap<string, string>;
  readonly last: string;
} {
  const byRun = new Map<string, string>();
  let last = '';
  for (const message of section(state.context.store)) {
    const id = message.metadata['execution_id'];
    if (message.role === 'user') last = text(message);
    else if (typeof id === 'string' && !byRun.has(id)) byRun.set(id, last);
  }
  return { byRun, last };
}
