import { isPlainObject } from '../kit/json.ts';
import { count, fromMillionths, isCount, toMillionths } from '../kit/numbers.ts';
import { type ModelPrice, priceRow } from './llm-config.ts';

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
  /** Part of `cacheWriteTokens`: those that the cache keeps for an hour or longer. Absent: none. */
  readonly cacheWriteHourTokens?: number;
  /** At least the sum of input and output. */
  readonly totalTokens: number;
  readonly cost: number | null;
  /** Present when some figures were estimated: tokens from bytes, or the cost by an estimated price. */
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
  const cacheWriteHourTokens = count(init.cacheWriteHourTokens);
  return {
    inputTokens,
    outputTokens,
    reasoningTokens: count(init.reasoningTokens),
    cacheReadTokens: count(init.cacheReadTokens),
    cacheWriteTokens: count(init.cacheWriteTokens),
    ...(cacheWriteHourTokens > 0 ? { cacheWriteHourTokens } : {}),
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
    for (const field of fields) total[field] += usage[field];
    if (usage.cacheWriteHourTokens !== undefined)
      total.cacheWriteHourTokens = (total.cacheWriteHourTokens ?? 0) + usage.cacheWriteHourTokens;
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

/** The usage of one call, never of several, with its cost at a price in place of a reported one. */
export function withPrice(usage: Usage, price: ModelPrice): Usage {
  const { output } = priceRow(price, usage.inputTokens);
  const cost = fromMillionths(inputMillionths(usage, price) + usage.outputTokens * output);
  return price.isEstimated === true ? { ...usage, cost, isEstimated: true } : { ...usage, cost };
}

/** The cost of the input of one call, in millionths. */
function inputMillionths(usage: Usage, price: ModelPrice): number {
  const { input, cacheRead = input, cacheWrite = input, ...row } = priceRow(price, usage.inputTokens);
  const { cacheReadTokens, cacheWriteTokens } = usage;
  const hour = Math.min(usage.cacheWriteHourTokens ?? 0, cacheWriteTokens);
  return (
    Math.max(0, usage.inputTokens - cacheReadTokens - cacheWriteTokens) * input +
    cacheReadTokens * cacheRead +
    (cacheWriteTokens - hour) * cacheWrite +
    hour * (row.cacheWriteHour ?? cacheWrite)
  );
}

/**
 * The share at which the input of one call is paid, by what a prompt cache read and wrote: 1 is the price without a
 * cache, 0.28 means 28 % of it, and writes may lead beyond 1. Null for an unknown price, and where nothing is paid.
 * @example
 * paidShare(AgentState.usage(state), price); // 0.28
 */
export function paidShare(usage: Usage, price: ModelPrice | null): number | null {
  const full = price === null ? 0 : usage.inputTokens * priceRow(price, usage.inputTokens).input;
  return price === null || full === 0 ? null : inputMillionths(usage, price) / full;
}

/** Repairs usage with invalid figures: one NaN would make every sum NaN and disable a limit. */
function mendUsage(usage: Usage): Usage {
  const { cost } = usage;
  const isSound =
    (cost === null || isCount(cost)) &&
    isCount(usage.cacheWriteHourTokens ?? 0) &&
    fields.every((field) => isCount(usage[field]));
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
