import { memoize } from '@vitrine/core/internal/kit/memoize';
import { eventsOf, type JournalRecord } from './journal-record.ts';

/** The range of a root step in a record, as indexes of `eventsOf(record)`. */
export type StepSpan = {
  /** The event with which the step began. */
  readonly from: number;
  /** The last call of its model; null before there was one. */
  readonly calledAt: number | null;
  /** The last event before the next step; for the last step of a run, the end of the run. */
  readonly to: number;
};

/** The root steps whose beginning was recorded, by id. */
export const stepSpans: (record: JournalRecord) => ReadonlyMap<string, StepSpan> = memoize((record) => {
  const spans = new Map<string, StepSpan>();
  let [current, before]: [string | null, string | null] = [null, null];
  for (const [index, { event }] of eventsOf(record).entries()) {
    const isRoot = event.path.length === 0;
    if (isRoot && event.type === 'step-start') {
      [before, current] = [current, event.stepId];
      // After a reload a step may begin again under its id.
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

/** True for a step that was stopped before it did anything. Its events belong to the step before. */
function isTakenBack(event: ReturnType<typeof eventsOf>[number]['event']): boolean {
  return (
    event.type === 'continuation-evaluate' &&
    event.evaluation.at === 'before-step' &&
    event.evaluation.shouldStop
  );
}
