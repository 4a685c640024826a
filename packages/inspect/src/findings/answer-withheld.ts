import { hasToolCalls, responseText } from '@vitrine/core/internal/graph/agent-step';
import { defineDetector } from './detector.ts';
import { inside } from './wording.ts';

/** An answer that a content filter or the model itself withheld. */
export const answerWithheld = defineDetector({
  code: 'answer-withheld',
  area: 'model',
  severity: 'warning',
  finds: 'An answer that a content filter stopped, or that the model refused.',
  reads: { 'inference-end': ['response'] },
  watch:
    () =>
    ({ event, step }) => {
      const { finishReason, explanation } = event.response;
      if (finishReason !== 'content-filter' || step === null) return null;
      const written = responseText(step);
      const isEmpty = written.trim() === '' && !hasToolCalls(step);
      const why = explanation === undefined ? '' : `: ${inside(explanation)}`;
      return {
        severity: isEmpty ? 'error' : 'warning',
        sentence: isEmpty
          ? `The provider withheld the whole answer (finish reason "content-filter")${why}.`
          : `The provider ended the answer in its middle (finish reason "content-filter")${why}.`,
        remedy:
          'Look at the messages that were sent for what the filter may object to, or use another model.',
        evidence: { finishReason, explanation: explanation ?? null, end: written.slice(-120) },
      };
    },
});
