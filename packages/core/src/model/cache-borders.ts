import { isTrace } from '../graph/message.ts';
import type { InferenceRequest } from './inference-client.ts';

type RequestCache = NonNullable<InferenceRequest['cache']>;

/** The name of the index of the first part that plugins told, in the metadata of a message of a request. */
export const toldFrom = 'told_from';

/**
 * The places up to which the next request of a conversation will be the same, in their order: the end of the prompt, of
 * the last question of a person, of the request before this one, and of this one. A single question without tools has
 * only the first: nothing may follow it, and what a provider writes into its cache costs more than what it reads. Its
 * prompt is marked when another question has it too.
 */
export function cacheOf(
  { messages, tools }: Pick<InferenceRequest, 'messages' | 'tools'>,
  agentId: string | undefined,
): RequestCache {
  let [prompt, question, answer] = [-1, -1, -1];
  for (const [at, message] of messages.entries()) {
    if (message.role === 'system' && prompt === at - 1) prompt = at;
    if (message.role === 'user' && !isTrace(message)) question = at;
    if (message.role === 'assistant') answer = at;
  }
  const isAlone = answer < 0 && tools.length === 0;
  const borders: RequestCache['borders'][number][] = [];
  for (const [message, { metadata }] of messages.entries()) {
    const told = metadata[toldFrom];
    const isWhole = message === answer - 1 || message === messages.length - 1;
    if (message === prompt) borders.push({ message });
    else if (isAlone) break;
    else if (message === question && typeof told === 'number' && told > 0)
      borders.push({ message, part: told - 1 });
    else if (message === question && !isWhole) borders.push({ message });
    if (message > prompt && isWhole) borders.push({ message });
  }
  return { key: agentId ?? null, borders };
}
