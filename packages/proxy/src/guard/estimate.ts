import { type InferenceRequest, type ModelPrice, Usage } from '@vitrine/core';
import { inputPrices, priceRow } from '@vitrine/core/internal/graph/llm-config';
import type { ProxyModel } from '../providers/proxy-model.ts';
import { bytesOf } from './body.ts';

/** The most tokens of an answer that neither page nor limits bound. */
export const usualOutput = 8192;

/** The least tokens of an image, however well it is compressed. */
const leastFileTokens = 4096;

type EstimateLimits = {
  /** Assumed for a file by URL, which its provider fetches. */
  readonly imageBytes: number;
  readonly contextTokens: number | null;
};

/**
 * The most usage of a request: a token for each byte of text and files up to the models' context, and all the output
 * that it may have. Tokens never outnumber bytes. It includes the most that they may cost, where the model has a price.
 */
export function estimateUsage(
  request: InferenceRequest,
  textBytes: number,
  { price, thinkingTokens }: Pick<ProxyModel, 'price' | 'thinkingTokens'>,
  { imageBytes, contextTokens }: EstimateLimits,
): Usage {
  const inputTokens = Math.min(textBytes + fileTokens(request, imageBytes), contextTokens ?? Infinity);
  const { maxOutputTokens, reasoning } = request.settings;
  const thinking = thinkingTokens?.[reasoning as keyof typeof thinkingTokens] ?? 0;
  const outputTokens = (typeof maxOutputTokens === 'number' ? maxOutputTokens : usualOutput) + thinking;
  const { input = 0, cacheWrite = input, cacheWriteHour = cacheWrite } = price ?? {};
  return Usage.of({
    inputTokens,
    outputTokens,
    cacheWriteTokens: Math.max(cacheWrite, cacheWriteHour) > input ? inputTokens : 0,
    cacheWriteHourTokens: cacheWriteHour > Math.max(cacheWrite, input) ? inputTokens : 0,
    cost: price === undefined ? null : mostCost(price, inputTokens, outputTokens),
  });
}

/** The cost at the dearest row that so many tokens reach, with all input written to the cache where that is dearer. */
function mostCost(price: ModelPrice, inputTokens: number, outputTokens: number): number {
  const input = Math.max(...inputPrices(price, 0, inputTokens));
  const output = Math.max(price.output, priceRow(price, inputTokens).output);
  return Math.ceil(inputTokens * input + outputTokens * output) / 1e6;
}

function fileTokens({ messages }: InferenceRequest, imageBytes: number): number {
  let tokens = 0;
  for (const { parts } of messages)
    for (const part of parts) {
      if (part.type !== 'file') continue;
      const bytes = part.data === undefined ? imageBytes : bytesOf(part.data);
      tokens += Math.max(leastFileTokens, bytes);
    }
  return tokens;
}
