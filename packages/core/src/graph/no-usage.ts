/**
 * Tokens and money of one or more model calls. `cost` is in the currency of the prices, null when no price is known;
 * sums of it are exact to the millionth.
 */
export type Usage = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Part of `outputTokens`. */
  readonly reasoningTokens: number;
  /** Part of `inputTokens`. */
  readonly cacheReadTokens: number;
  /** Part of `inputTokens`. */
  readonly cacheWriteTokens: number;
  readonly totalTokens: number;
  readonly cost: number | null;
};

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
