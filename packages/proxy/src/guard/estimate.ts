import { type InferenceRequest, type ModelPrice, Usage } from '@vitrine/core';
import type { ProxyModel } from '../providers/proxy-model.ts';
import { bytesOf } from './body.ts';

/** The most tokens of an answer that neither page nor limits bound. */
export const usualOutput = 8192;

/** The least tokens of an image, however well it is compressed. */
const leastFileTokens = 4096;

/** The limits that bound the usage of a request. */
type EstimateLimits = {
  /** Assumed for a file by URL, which its provider fetches. */
  readonly imageBytes: number;
  readonly contextTokens: number | null;
};

/**
 * The most usage of a request: a token for each byte of text and files up to the models' context, and all the output
 * that it may have. Tokens never outnumber bytes. It includes the cost at the highest price, where the model has one.
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
  const usage = Usage.of({
    inputTokens,
    outputTokens: (typeof maxOutputTokens === 'number' ? maxOutputTokens : usualOutput) + thinking,
    cacheWriteTokens: price !== undefined && writesAreDearer(price) ? inputTokens : 0,
  });
  return price === undefined ? usage : Usage.withPrice(usage, price);
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

function writesAreDearer({ input, cacheWrite = input }: ModelPrice): boolean {
  return cacheWrite > input;
}
