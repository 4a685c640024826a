import type { ModelPrice } from '../graph/llm-config.ts';
import { fromMillionths } from '../kit/millionths.ts';

/** The most that a model call may spend, as far as known; null is unknown. */
export type CallEstimate = {
  readonly tokens: number | null;
  readonly cost: number | null;
  /**
   * The least that the call will spend. A call is refused when this exceeds the remaining budget. Default:
   * nothing.
   */
  readonly least?: { readonly tokens: number; readonly cost: number };
};

/** Upper bound of bytes of text a token, used while no ratio was measured. */
const mostBytesPerToken = 8;
/**
 * Bytes of a request that are not counted for a refusal: short texts say little about the size of their
 * tokens.
 */
const freeBytes = 1024;

/**
 * Estimates the spending of a call. The most is the output limit, or else the largest output so far, plus the bytes of
 * the request: a text never has more tokens than bytes. It is unknown without an output limit and an earlier output;
 * the cost is also unknown without a price. The least is an eighth of the bytes of text, or half of the measured
 * ratio.
 */
export function estimateCall(call: {
  /** Size of the request in UTF-8 bytes. */
  readonly requestBytes: number;
  /** Bytes of text among `requestBytes`, without files. */
  readonly textBytes: number;
  readonly maxOutputTokens: number | null;
  /** Output tokens of the largest answer so far, see `Ledger.largestOutput`; null before the first. */
  readonly largestOutput: number | null;
  /**
   * Lowest measured ratio of tokens to bytes, see `Ledger.tokensPerByte`; null before the first
   * measurement.
   */
  readonly tokensPerByte: number | null;
  readonly price: ModelPrice | null;
}): CallEstimate {
  const { requestBytes, price, tokensPerByte } = call;
  const ratio = tokensPerByte === null ? 1 / mostBytesPerToken : tokensPerByte / 2;
  const leastTokens = Math.floor(Math.max(0, call.textBytes - freeBytes) * ratio);
  const cheapestInput = price === null ? 0 : Math.min(price.input, price.cacheRead ?? Infinity);
  const least = { tokens: leastTokens, cost: fromMillionths(Math.floor(leastTokens * cheapestInput)) };
  const output = call.maxOutputTokens ?? call.largestOutput;
  if (output === null) return { tokens: null, cost: null, least };
  const tokens = requestBytes + output;
  if (price === null) return { tokens, cost: null, least };
  const dearestInput = Math.max(price.input, price.cacheRead ?? 0, price.cacheWrite ?? 0);
  const cost = fromMillionths(Math.ceil(requestBytes * dearestInput + output * price.output));
  return { tokens, cost, least };
}
