import { defineDetector } from './detector.ts';
import { inside } from './wording.ts';

/** An answer that its provider ended without saying that it is complete. */
export const answerBroken = defineDetector({
  code: 'answer-broken',
  area: 'model',
  severity: 'warning',
  finds:
    'An answer that ended with the finish reason `error` or `other`, so that nobody knows whether it is whole.',
  reads: { 'inference-end': ['response'] },
  watch:
    () =>
    ({ event }) => {
      const { finishReason, explanation, model } = event.response;
      if (finishReason !== 'error' && finishReason !== 'other') return null;
      const why = explanation === undefined ? '' : ` (${inside(explanation)})`;
      return {
        severity: finishReason === 'error' ? 'error' : 'warning',
        sentence:
          finishReason === 'error'
            ? `The provider ended the answer with an error${why}, so it may be incomplete.`
            : `The provider ended the answer for a reason that is not known here${why}, so it may be incomplete.`,
        remedy:
          'Look at the end of the answer. When it is cut, ask again, and look at the log of the provider.',
        evidence: { finishReason, explanation: explanation ?? null, model },
      };
    },
});
