import type { Usage } from './usage.ts';

const zero: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  totalTokens: 0,
  cost: null,
};

/** Nothing used, at a price that is not known. */
export function none(): Usage {
  return zero;
}
