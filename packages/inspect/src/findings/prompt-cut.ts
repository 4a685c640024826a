import type { Message, MessagePart } from '@vitrine/core/internal/graph/message';
import { request } from '@vitrine/core/internal/graph/sent';
import { memoize } from '@vitrine/core/internal/kit/memoize';
import { defineDetector } from './detector.ts';
import { countNoun } from './wording.ts';

/** Characters that one token hardly exceeds, and those of the shortest request that is looked at. */
const least = { perToken: 10, characters: 8000 } as const;

/** A request of which the server read only a part, as Ollama does beyond its window. */
export const promptCut = defineDetector({
  code: 'prompt-cut',
  area: 'context',
  severity: 'warning',
  finds:
    'A request with many times the characters that the reported input tokens can hold, because the server cut it to its window.',
  reads: { 'inference-end': ['response'] },
  needs: ['usage', 'prompt'],
  watch:
    () =>
    ({ event, agent, step }) => {
      const { usage, model } = event.response;
      const { inputTokens } = usage;
      const sent =
        step === null || usage.isEstimated === true || inputTokens === 0 ? null : request(agent, step);
      if (sent === null) return null;
      const characters = sent.messages.reduce((sum, one) => sum + length(one), sent.systemPrompt.length);
      if (characters < least.characters || characters < inputTokens * least.perToken) return null;
      return {
        key: 'prompt',
        sentence: `The model was sent ${countNoun(characters, 'character')} and read ${countNoun(inputTokens, 'token')}: the server cut the request to its window, mostly at the beginning.`,
        remedy:
          'Raise the window of the server (Ollama: OLLAMA_CONTEXT_LENGTH), or send less: fewer tools, a shorter system prompt, a summary of old messages.',
        evidence: { characters, inputTokens, model },
      };
    },
});

const length = memoize(({ parts }: Message) => parts.reduce((sum, part) => sum + lengthOf(part), 0));

/** Characters that every provider sends to its model; files have many and few tokens, and thoughts may stay behind. */
function lengthOf(part: MessagePart): number {
  if (part.type === 'text') return part.text.length;
  if (part.type === 'tool-call') return JSON.stringify(part.input).length;
  return part.type === 'tool-result' ? JSON.stringify(part.output).length : 0;
}
