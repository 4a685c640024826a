import type { InferenceClient } from '@vitrine/core';
import { finish } from '../sse-events.ts';

/** A model that calls the tool `echo` in so many answers and then ends. */
export function answersWith(calls: number): InferenceClient {
  let answered = 0;
  return {
    async *stream() {
      const number = ++answered;
      if (number > calls) {
        yield { type: 'text-delta', delta: 'Done.' };
        yield finish('stop');
        return;
      }
      yield { type: 'text-delta', delta: `Step ${number}: I look that up.` };
      yield { type: 'tool-call', toolCallId: `call_${number}`, toolName: 'echo', input: { n: number } };
      yield finish('tool-calls');
    },
  };
}
