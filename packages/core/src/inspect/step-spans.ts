import { memoize } from '../kit/memoize.ts';
import { eventsOf, type JournalRecord } from './journal-record.ts';

/** Where a step of the root stands in a record, as indexes of `eventsOf(record)`. */
export type StepSpan = {
  /** The event with which it began. */
  readonly from: number;
  /** The last call of its model; null before there was one. */
  readonly calledAt: number | null;
  /** The last event before the next step began; for the last step of a run, that with which the run ended. */
  readonly to: number;
};

/** The steps of the root whose beginning was recorded, by their ids. */
export const stepSpans: (record: JournalRecord) => ReadonlyMap<string, StepSpan> = memoize((record) => {
  const spans = new Map<string, StepSpan>();
  let [current, before]: [string | null, string | null] = [null, null];
  for (const [index, { event }] of eventsOf(record).entries()) {
    const isRoot = event.path.length === 0;
    if (isRoot && event.type === 'step-start') {
      [before, current] = [current, event.stepId];
      // After a reload a step may be begun again under its id.
      spans.set(current, { from: spans.get(current)?.from ?? index, calledAt: null, to: index });
      continue;
    }
    if (isRoot && event.type === 'execution-start') [before, current] = [null, null];
    if (isRoot && isTakenBack(event) && current !== null && spans.get(current)?.calledAt === null) {
      spans.delete(current);
      [current, before] = [before, null];
    }
    const span = current === null ? undefined : spans.get(current);
    if (current === null || span === undefined) continue;
    const calledAt = isRoot && event.type === 'inference-start' ? index : span.calledAt;
    spans.set(current, { ...span, calledAt, to: index });
    if (isRoot && event.type === 'execution-end') [before, current] = [null, null];
  }
  return spans;
});

type Event = ReturnType<typeof eventsOf>[number]['event'];

/** A step that is stopped before it does anything never was: what follows belongs to the one before. */
function isTakenBack(event: Event): boolean {
  return (
    event.type === 'continuation-evaluate' &&
    event.evaluation.at === 'before-step' &&
    event.evaluation.shouldStop
  );
}
