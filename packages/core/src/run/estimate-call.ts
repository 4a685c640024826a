import type { ModelPrice } from '../graph/llm-config.ts';
import { fromMillionths } from '../kit/millionths.ts';

/** What a model call may spend at most, as far as that is known; null is unknown. */
export type CallEstimate = { readonly tokens: number | null; readonly cost: number | null };

/**
 * What a call may spend: its request by its bytes (there are never more tokens than bytes) and the output limit of its
 * settings, or else the largest output that was seen. Unknown when there is neither; the cost without a price too.
 */
export function estimateCall(call: {
  /** UTF-8 bytes of the request. */
  readonly requestBytes: number;
  readonly maxOutputTokens: number | null;
  /** Output tokens of the largest answer so far, see `Ledger.largestOutput`; null before the first. */
  readonly largestOutput: number | null;
  readonly price: ModelPrice | null;
}): CallEstimate {
  const { requestBytes, price } = call;
  const output = call.maxOutputTokens ?? call.largestOutput;
  if (output === null) return { tokens: null, cost: null };
  const tokens = requestBytes + output;
  if (price === null) return { tokens, cost: null };
  const dearestInput = Math.max(price.input, price.cacheRead ?? 0, price.cacheWrite ?? 0);
  return { tokens, cost: fromMillionths(Math.ceil(requestBytes * dearestInput + output * price.output)) };
}
