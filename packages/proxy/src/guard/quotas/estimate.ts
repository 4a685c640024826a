import { type InferenceRequest, Usage } from '@vitrine/core';
import { bytesPerToken } from '../../bytes-per-token.ts';

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
