import { priceOf } from '../../graph/llm-config.ts';
import type { Message } from '../../graph/message.ts';
import type { InferenceRequest } from '../../model/inference-client.ts';
import { jsonText } from '../../kit/json-text.ts';
import { memoize } from '../../kit/memoize.ts';
import { memoizeGrowing } from '../../kit/memoize-growing.ts';
import { estimateCall } from '../estimate-call.ts';
import type { Hold } from '../ledger.ts';
import type { Run } from '../run.ts';
import { effectiveLlmConfig } from './prepare-request.ts';

/** Room for one model call in the budget of this agent and of those above it; waits until there is some. */
export function holdRoom(run: Run, request: InferenceRequest): Promise<Hold> {
  const { ledger, signal } = run;
  if (!ledger.isLimited) return ledger.hold({ tokens: null, cost: null }, signal);
  const requestBytes = bytesOf(request);
  const limit = request.settings['maxOutputTokens'];
  const price = priceOf(request.model, effectiveLlmConfig(run));
  const estimate = (): ReturnType<typeof estimateCall> =>
    estimateCall({
      requestBytes,
      maxOutputTokens: typeof limit === 'number' && limit > 0 ? limit : null,
      largestOutput: ledger.largestOutput(),
      price,
    });
  return ledger.hold(estimate, signal);
}

const encoder = new TextEncoder();
const bytesOfJson = memoize((value: object) => encoder.encode(jsonText(value)).length);

const bytesOfMessages = memoizeGrowing<Message, number>((before, messages, from) =>
  messages.slice(from).reduce((sum, { parts }) => sum + bytesOfJson(parts), before ?? 0),
);

/** Messages and tools stay the same from request to request, and so does their size. */
function bytesOf({ messages, tools, responseFormat }: InferenceRequest): number {
  const fixed = bytesOfJson(tools) + (responseFormat === null ? 0 : bytesOfJson(responseFormat));
  return fixed + bytesOfMessages(messages);
}
