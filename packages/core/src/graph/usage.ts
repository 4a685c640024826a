import { isPlainObject } from '../kit/json.ts';
import { count, fromMillionths, isCount, toMillionths } from '../kit/numbers.ts';
import type { ModelPrice } from './llm-config.ts';

export { isFree } from './free-failure.ts';

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

/**
 * Normalises usage into the shape that state can hold. `totalTokens` is at least input plus output, and counts are
 * rounded and end at 2^53 - 1. An invalid count (negative, NaN, not a number) becomes 0, and an invalid cost is
 * unknown.
 */
export function of(given: Partial<Usage> = {}): Usage {
  const init: Partial<Usage> = isPlainObject(given) ? given : {};
  const inputTokens = count(init.inputTokens);
  const outputTokens = count(init.outputTokens);
  return {
    inputTokens,
    outputTokens,
    reasoningTokens: count(init.reasoningTokens),
    cacheReadTokens: count(init.cacheReadTokens),
    cacheWriteTokens: count(init.cacheWriteTokens),
    totalTokens: Math.max(count(init.totalTokens), inputTokens + outputTokens),
    cost: isCount(init.cost) ? Math.min(init.cost, Number.MAX_SAFE_INTEGER) : null,
    ...(init.isEstimated === true ? { isEstimated: true } : {}),
  };
}

/** The sum of two; one of them itself when the other is zero. The cost is known when either cost is. */
export function add(a: Usage, b: Usage): Usage {
  return sum([a, b]);
}

/** The sum of many; zeros are skipped, and a single usage is returned unchanged. */
export function sum(usages: readonly Usage[]): Usage {
  const real = usages.map(mendUsage).filter((usage) => !isNone(usage));
  if (real.length < 2) return real[0] ?? none();
  const total: { -readonly [Field in keyof Usage]: Usage[Field] } = { ...none() };
  if (real.some(({ isEstimated }) => isEstimated === true)) total.isEstimated = true;
  let millionths: number | null = null;
  for (const usage of real) {
    total.inputTokens += usage.inputTokens;
    total.outputTokens += usage.outputTokens;
    total.reasoningTokens += usage.reasoningTokens;
    total.cacheReadTokens += usage.cacheReadTokens;
    total.cacheWriteTokens += usage.cacheWriteTokens;
    total.totalTokens += usage.totalTokens;
    if (usage.cost !== null) millionths = (millionths ?? 0) + toMillionths(usage.cost);
  }
  total.cost = millionths === null ? null : fromMillionths(millionths);
  return total;
}

/** True when nothing was used and nothing paid. */
export function isNone(usage: Usage): boolean {
  return (
    usage.totalTokens === 0 && usage.inputTokens === 0 && usage.outputTokens === 0 && (usage.cost ?? 0) === 0
  );
}

/** The usage with its cost at a price, in place of a reported cost. */
export function withPrice(usage: Usage, price: ModelPrice): Usage {
  const plainInput = Math.max(0, usage.inputTokens - usage.cacheReadTokens - usage.cacheWriteTokens);
  const millionths =
    plainInput * price.input +
    usage.cacheReadTokens * (price.cacheRead ?? price.input) +
    usage.cacheWriteTokens * (price.cacheWrite ?? price.input) +
    usage.outputTokens * price.output;
  return { ...usage, cost: fromMillionths(millionths) };
}

/** Repairs usage with invalid figures: one NaN would make every sum NaN and disable a limit. */
function mendUsage(usage: Usage): Usage {
  const { cost } = usage;
  const isSound = (cost === null || isCount(cost)) && fields.every((field) => isCount(usage[field]));
  return isSound ? usage : of(usage);
}

const fields = [
  'inputTokens',
  'outputTokens',
  'reasoningTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'totalTokens',
] as const satisfies readonly (keyof Usage)[];
