import { defineDetector } from './detector.ts';
import { listNames } from './wording.ts';

/** Limits that a person raised, so that an ended run went on. */
export const budgetGranted = defineDetector({
  code: 'budget-granted',
  area: 'budget',
  severity: 'note',
  finds: 'A run that had reached a limit and went on, because more was granted.',
  reads: { 'budget-grant': ['source', 'grant'] },
  watch:
    () =>
    ({ event }) => {
      const { source, grant } = event;
      const more = Object.entries(grant).map(([measure, amount]) => `${measure} ${String(amount)}`);
      return {
        sentence: `The run went on after its end: more was granted (${listNames(more)}).`,
        remedy: 'Nothing. When it happens often, raise the limit of the agent.',
        evidence: { who: source ?? 'app', grant: { ...grant } },
      };
    },
});
