import type { AgentState, ExecutionState } from '../graph/types.ts';
import { memoize } from '../kit/memoize.ts';
import type { JournalRecord, RecordedEvent } from './journal-record.ts';

/** A run with recorded events, or with the state in which a journal began. */
export type OpenedRun = {
  readonly executionId: string;
  readonly number: number;
  readonly known: 'events' | 'state';
  /** Its first event, as an index of `eventsOf(record)`. */
  readonly first: number;
  /** The last event before a journal that does not hold the run; null for none. */
  readonly until: number | null;
};

/**
 * The runs in the events and states of a record, oldest first. Events after the end of a run belong to the next one.
 */
export const openedRuns: (record: JournalRecord) => readonly OpenedRun[] = memoize(({ pages }) => {
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
      if (startsRun(event)) {
        if (event.executionId !== base.execution?.executionId) number++;
        open({ executionId: event.executionId, number, known: 'events', first: next ?? index });
        next = null;
      }
      if (event.path.length === 0 && event.type === 'execution-end') next = index + 1;
      index++;
    }
  }
  return opened;
});

type Event = RecordedEvent['event'];

function startsRun(event: Event): event is Extract<Event, { readonly type: 'execution-start' }> {
  return event.path.length === 0 && event.type === 'execution-start';
}

function isOver(execution: ExecutionState | null): boolean {
  return execution === null || (execution.status !== 'pending' && execution.status !== 'in-progress');
}
