import { defineDetector } from './detector.ts';
import { countNoun } from './wording.ts';

/** Model calls that waited for room in a budget. */
export const budgetWaited = defineDetector({
  code: 'budget-waited',
  area: 'budget',
  severity: 'note',
  finds: 'Model calls that waited, because other calls held what was left of a budget.',
  reads: { 'budget-wait': ['held'] },
  watch: () => {
    let waits = 0;
    return ({ event }) => ({
      key: 'waits',
      sentence: `${countNoun(++waits, 'model call')} waited for room in the budget, while others held ${countNoun(event.held.tokens, 'token')}.`,
      remedy:
        'Raise the limit, set `maxOutputTokens` so that calls reserve less, or run fewer subagents at once.',
      evidence: { waits, held: event.held },
    });
  },
});
