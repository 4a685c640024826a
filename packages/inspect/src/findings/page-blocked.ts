import { defineDetector } from './detector.ts';
import { lasting, quoteName } from './wording.ts';

/** Blocking from which on it is a warning. */
const warningMs = 200;

/** A tool that kept everything else from running. */
export const pageBlocked = defineDetector({
  code: 'page-blocked',
  area: 'tools',
  severity: 'warning',
  finds:
    'A tool that computed for 50 ms or longer before it first waited, so that the page could not answer. From 200 ms on it is a warning.',
  reads: { 'tool-end': ['blockedMs'] },
  needs: ['times'],
  watch:
    () =>
    ({ event, call }) => {
      const { blockedMs } = event;
      if (blockedMs === undefined) return null;
      const name = call?.toolCall.name ?? '';
      return {
        severity: blockedMs >= warningMs ? 'warning' : 'note',
        sentence: `Tool ${quoteName(name)} blocked the page for ${lasting(blockedMs)}: nothing else could run meanwhile.`,
        remedy:
          'Move the work to a Web Worker, or let other work run in between (`await scheduler.yield()`).',
        evidence: { who: name, blockedMs },
      };
    },
});
