import { isPlainObject } from '@vitrine/core/internal/kit/json';
import { defineDetector } from './detector.ts';
import { countNoun, listNames, quoteName } from './wording.ts';

/** Events of a watched stream of another library that its bridge could not show. */
export const eventsSkipped = defineDetector({
  code: 'events-skipped',
  area: 'session',
  severity: 'note',
  finds:
    'Events of a watched run of another library that have no place in the panel, or came in the wrong order.',
  reads: { 'metadata-change': ['set'] },
  watch:
    () =>
    ({ event }) => {
      const skipped = event.set['skippedEvents'];
      if (!isPlainObject(skipped)) return null;
      const kinds = Object.keys(skipped);
      const count = Object.values(skipped).reduce<number>(
        (sum, one) => sum + (typeof one === 'number' ? one : 0),
        0,
      );
      if (count === 0) return null;
      return {
        key: 'skipped',
        sentence: `${countNoun(count, 'event')} of the stream ${count === 1 ? 'is' : 'are'} not shown: ${listNames(kinds.slice(0, 4).map(quoteName))}.`,
        remedy:
          'Nothing, when the rest looks right. Otherwise look at what the server streams: an event came in the wrong order, its end is missing, or the bridge does not know it.',
        evidence: { skipped },
      };
    },
});
