import { defineDetector } from './detector.ts';
import { quoteName } from './wording.ts';

/** A replacement of a hook that nothing reads. */
export const hookIgnored = defineDetector({
  code: 'hook-ignored',
  area: 'context',
  severity: 'warning',
  finds: 'A hook that replaced a field at a point where nothing reads it, so that it had no effect.',
  reads: { 'hook-violation': ['hook', 'point', 'field'] },
  watch:
    () =>
    ({ event }) => ({
      key: `${event.hook}|${event.point}|${event.field}`,
      sentence: `Hook ${quoteName(event.hook)} replaced "${event.field}" at ${event.point}, where nothing reads it.`,
      remedy: 'Move the hook to a point that allows the field.',
      evidence: { who: event.hook, point: event.point, field: event.field },
    }),
});
