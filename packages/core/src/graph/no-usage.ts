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
  /** At least the sum of input and output. */
  readonly totalTokens: number;
  readonly cost: number | null;
  /** Present when some figures were estimated from bytes, because no credible ones were reported. */
  readonly isEstimated?: true;
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

/** Usage of 0 with an unknown price. */
export function none(): Usage {
  return zero;
}
