import { defineDetector } from './detector.ts';
import { quoteName } from './wording.ts';

/** A call that was interrupted while its tool ran. */
export const callInterrupted = defineDetector({
  code: 'call-interrupted',
  area: 'tools',
  severity: 'warning',
  finds:
    'A call that a stop, a reload or a crash interrupted while its tool ran, so that its effect is unknown.',
  reads: { 'call-settle': ['outcome', 'error'] },
  watch:
    () =>
    ({ event, call }) => {
      if (event.outcome !== 'interrupted' || call === null || call.startedAt === null) return null;
      const { name, input } = call.toolCall;
      return {
        sentence: `Tool ${quoteName(name)} was interrupted while it ran: nobody knows whether it had its effect.`,
        remedy:
          "Check at its target what happened. Declare the tool as `effects: 'idempotent'` if it may run again, or keep its outcome in an effect log.",
        evidence: { who: name, before: input, message: event.error?.message ?? null },
      };
    },
});
