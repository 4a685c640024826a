import type { InferenceClient } from '@vitrine/core';

const usage = {
  inputTokens: 10,
  outputTokens: 10,
  reasoningTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  totalTokens: 20,
  cost: null,
};

/** A model that asks for the tool `echo` in so many answers and then ends. */
export function answersWith(calls: number): InferenceClient {
  let answered = 0;
  return {
    async *stream() {
      const number = ++answered;
      if (number > calls) {
        yield { type: 'text-delta', delta: 'Done.' };
        yield { type: 'finish', finishReason: 'stop', usage };
        return;
      }
      yield { type: 'text-delta', delta: `Step ${number}: I look that up.` };
      yield { type: 'tool-call', toolCallId: `call_${number}`, toolName: 'echo', input: { n: number } };
      yield { type: 'finish', finishReason: 'tool-calls', usage };
    },
  };
}
