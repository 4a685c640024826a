import { hasToolCalls, responseText } from '@vitrine/core/internal/graph/agent-step';
import { defineDetector } from './detector.ts';
import { countNoun } from './wording.ts';

/** An answer that ended at the output limit of the model. */
export const answerCut = defineDetector({
  code: 'answer-cut',
  area: 'model',
  severity: 'warning',
  finds: 'An answer that was cut at the output limit of the model, although the run ended as usual.',
  reads: { 'inference-end': ['response'] },
  watch:
    () =>
    ({ event, step }) => {
      const { finishReason, usage } = event.response;
      if (finishReason !== 'length' || step === null) return null;
      const written = responseText(step);
      const isEmpty = written.trim() === '' && !hasToolCalls(step);
      // A source that does not tell the usage has none.
      const tokens = usage.outputTokens === 0 ? '' : ` after ${countNoun(usage.outputTokens, 'token')}`;
      const sentence = isEmpty
        ? `The model reached its output limit${tokens} and had written nothing.`
        : hasToolCalls(step)
          ? `The answer was cut at the output limit${tokens}, in or after a tool call. A call that it ends with is not run.`
          : `The answer was cut at the output limit${tokens}, so its end is missing.`;
      return {
        severity: isEmpty ? 'error' : 'warning',
        sentence,
        remedy: isEmpty
          ? 'Raise `maxOutputTokens` in the settings of the model, or lower its reasoning effort.'
          : 'Raise `maxOutputTokens` in the settings of the model, ask for a shorter answer, or let the model continue.',
        evidence: {
          finishReason,
          ...(usage.outputTokens === 0
            ? {}
            : { outputTokens: usage.outputTokens, reasoningTokens: usage.reasoningTokens }),
          end: written.slice(-120),
        },
      };
    },
});
