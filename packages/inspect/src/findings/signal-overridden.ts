import { defineDetector } from './detector.ts';
import { inside, listNames, quoteName } from './wording.ts';

/** A stop signal that did not stop the run, or not by itself. */
export const signalOverridden = defineDetector({
  code: 'signal-overridden',
  area: 'budget',
  severity: 'warning',
  finds:
    'A stop signal that a continuation request overrode. One that lost to a signal of higher priority is a note.',
  reads: {
    'continuation-request': ['source'],
    'continuation-evaluate': ['evaluation'],
  },
  watch: () => {
    let requester: string | null = null;
    return ({ event }) => {
      if (event.type === 'continuation-request') {
        requester = event.source;
        return null;
      }
      const { overridden, winner, stopSignals } = event.evaluation;
      if (overridden.length > 0) {
        const isPerson = requester === 'user' || requester === 'app';
        return {
          key: `overridden|${overridden.map(({ reason, source }) => `${reason}/${source}`).join()}`,
          severity: isPerson ? 'note' : 'warning',
          sentence: `${requester === null ? 'A continuation request' : `A continuation request of ${quoteName(requester)}`} overrode ${listNames(overridden.map(({ reason, source }) => `the stop signal ${quoteName(reason)}${source === null ? '' : ` of ${quoteName(source)}`}`))}, so the run went on.`,
          remedy:
            'Let only one of the two decide: the guard or limit that stops, or the hook that continues.',
          evidence: {
            who: requester ?? 'unknown',
            overridden: overridden.map(({ reason, source, message }) => ({ reason, source, message })),
          },
        };
      }
      const losers =
        winner === null
          ? []
          : stopSignals.filter(({ reason }) => reason !== winner.reason && reason !== 'completed');
      if (winner === null || losers.length === 0) return null;
      return {
        key: 'priority',
        severity: 'note',
        sentence: `The run stopped for ${quoteName(winner.reason)}, which has priority over ${listNames(losers.map(({ reason }) => quoteName(reason)))}: ${inside(losers[0]?.message ?? '')}.`,
        remedy: 'Nothing, unless the other reason should be shown to people.',
        evidence: {
          winner: winner.reason,
          losers: losers.map(({ reason, source, message }) => ({ reason, source, message })),
        },
      };
    };
  },
});
