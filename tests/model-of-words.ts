import { type InferenceClient, Usage } from '@vitrine/core';

type LastWords = {
  /** The words at the end, by the message. */
  readonly words: (said: string) => readonly string[];
  /** Waits before each of them. */
  readonly pause: () => Promise<void>;
};

/**
 * A model that asks for the tools in the message of the user, one a step, such as `look:a pay:b refund:c`, and then says
 * its last words. It has no memory, so any process goes on.
 */
export function modelOfWords({ words, pause }: LastWords): InferenceClient {
  return {
    async *stream({ messages }, { signal }) {
      const from = messages.findLastIndex(({ role }) => role === 'user');
      const said =
        messages[from]?.parts.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? '';
      const wanted = said.split(' ').filter((word) => word.includes(':'));
      const next = wanted[messages.slice(from).filter(({ role }) => role === 'assistant').length];
      const usage = { ...Usage.none(), isExact: true as const };
      yield { type: 'start', id: `r${messages.length}`, model: 'scripted' };
      if (next === undefined) {
        for (const word of words(said)) {
          await pause();
          if (signal.aborted) return;
          yield { type: 'text-delta', delta: word };
        }
        yield { type: 'finish', finishReason: 'stop', usage };
        return;
      }
      const [toolName = '', line = ''] = next.split(':');
      yield { type: 'text-delta', delta: `Next: ${next}.` };
      yield { type: 'tool-call', toolCallId: `call_${next}`, toolName, input: { line } };
      yield { type: 'finish', finishReason: 'tool-calls', usage };
    },
  };
}
