import { hasToolCalls } from '@vitrine/core/internal/graph/agent-step';
import { defineDetector } from './detector.ts';

/** Reasons for an empty answer that have findings of their own. */
const reported = new Set(['length', 'content-filter', 'error']);

/** A final answer with no content. */
export const answerEmpty = defineDetector({
  code: 'answer-empty',
  area: 'model',
  severity: 'warning',
  finds: 'An answer without text, tool calls and files, which the run takes as its final answer.',
  reads: { 'inference-end': ['response'] },
  watch:
    () =>
    ({ event, step }) => {
      const { finishReason, usage } = event.response;
      if (step === null || hasToolCalls(step) || reported.has(finishReason)) return null;
      const parts = step.outputMessages.flatMap((message) => message.parts);
      const hasContent = parts.some(
        (part) =>
          (part.type === 'text' && part.text.trim() !== '') || part.type === 'file' || part.type === 'data',
      );
      if (hasContent) return null;
      const hasReasoning = parts.some(({ type }) => type === 'reasoning');
      return {
        sentence: hasReasoning
          ? 'The model reasoned and then ended its turn without an answer.'
          : 'The model ended its turn without an answer: no text and no tool call.',
        remedy:
          'Tell the model in the system prompt to end with an answer in words. Look at the last message that it was sent: it may leave nothing to say.',
        evidence: {
          finishReason,
          ...(usage.outputTokens === 0
            ? {}
            : { outputTokens: usage.outputTokens, reasoningTokens: usage.reasoningTokens }),
        },
      };
    },
});
