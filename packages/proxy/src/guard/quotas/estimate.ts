import { type InferenceRequest, Usage } from '@vitrine/core';
import type { Meter } from './meter.ts';

const bytesPerToken = 3;
const tokensPerFile = 2000;

/** Tokens that an answer is taken to have at most where neither page nor limits say it. */
const usualOutput = 8192;

/** What a request will probably use at most: its length, its files, and all the answer that it may have. */
export function estimateUsage(request: InferenceRequest, textBytes: number): Usage {
  const files = request.messages.flatMap(({ parts }) => parts).filter(({ type }) => type === 'file').length;
  const asked = request.settings['maxOutputTokens'];
  return Usage.of({
    inputTokens: Math.ceil(textBytes / bytesPerToken) + files * tokensPerFile,
    outputTokens: typeof asked === 'number' ? asked : usualOutput,
  });
}

/**
 * What an answer has used: by the provider's count, or where it broke off by what was asked and said. An answer that
 * failed before its first word has used nothing.
 */
export function actualUsage(meter: Meter, estimate: Usage, hasFailed: boolean): Usage {
  const counted = meter.usage();
  if (counted !== null) return counted;
  if (hasFailed && meter.said() === 0) return Usage.none();
  return Usage.of({
    inputTokens: estimate.inputTokens,
    outputTokens: Math.ceil(meter.said() / bytesPerToken),
  });
}
