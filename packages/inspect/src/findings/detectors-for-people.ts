import { hasToolCalls, responseText } from '@vitrine/core/internal/graph/agent-step';
import { type Detector, defineFor, each } from './detector.ts';
import { countNoun, inside, quoteName } from './wording.ts';

const define = defineFor('model');

/** The detectors of what a person who chats should know: a part of answer or question is missing. */
export const detectorsForPeople: readonly Detector[] = [
  /** An answer that was cut at the output limit of the model, although the run ended as usual. */
  define('answer-cut', {
    severity: 'fault',
    reads: { 'inference-end': ['response'] },
    watch: each(({ event, step }) => {
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
    }),
  }),
  /** An answer that ended with the finish reason `error` or `other`, so that nobody knows whether it is whole. */
  define('answer-broken', {
    severity: 'fault',
    reads: { 'inference-end': ['response'] },
    watch: each(({ event }) => {
      const { finishReason, explanation, model } = event.response;
      if (finishReason !== 'error' && finishReason !== 'other') return null;
      const why = explanation === undefined ? '' : ` (${inside(explanation)})`;
      return {
        severity: finishReason === 'error' ? 'fault' : 'hint',
        sentence:
          finishReason === 'error'
            ? `The provider ended the answer with an error${why}, so it may be incomplete.`
            : `The provider ended the answer for a reason that is not known here${why}, so it may be incomplete.`,
        remedy:
          'Look at the end of the answer. When it is cut, ask again, and look at the log of the provider.',
        evidence: { finishReason, explanation: explanation ?? null, model },
      };
    }),
  }),
  /** A file that the model could not read, because the store no longer has its bytes. */
  define('file-missing', {
    area: 'context',
    severity: 'fault',
    reads: { 'attachment-missing': ['messageId', 'hash', 'filename'] },
    needs: ['prompt'],
    watch: each(({ event }) => {
      const { filename, hash, messageId } = event;
      return {
        key: hash,
        sentence: `The model could not read ${filename === null ? 'a file' : `the file ${quoteName(filename)}`}: the store no longer has its bytes, and the model was told so.`,
        remedy: 'Attach the file again. Look at what clears the storage of the browser or the server.',
        evidence: { filename, hash, messageId },
      };
    }),
  }),
];
