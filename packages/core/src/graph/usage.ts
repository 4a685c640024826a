import { fromMillionths, toMillionths } from '../kit/millionths.ts';
import { none, type Usage } from './no-usage.ts';

export { none, type Usage } from './no-usage.ts';

/**
 * Usage from what is known, as state may hold it: `totalTokens` defaults to input plus output, counts are rounded and
 * end at 2^53 - 1, what is no count (negative, NaN, not a number) becomes 0, and such a cost is not known.
 */
export function of(init: Partial<Usage> = {}): Usage {
  const inputTokens = count(init.inputTokens);
  const outputTokens = count(init.outputTokens);
  return {
    inputTokens,
    outputTokens,
    reasoningTokens: count(init.reasoningTokens),
    cacheReadTokens: count(init.cacheReadTokens),
    cacheWriteTokens: count(init.cacheWriteTokens),
    totalTokens: isCount(init.totalTokens) ? count(init.totalTokens) : inputTokens + outputTokens,
    cost: isCount(init.cost) ? Math.min(init.cost, Number.MAX_SAFE_INTEGER) : null,
  };
}

/** The sum; one of the two itself when the other is zero. A cost is known when either side's is. */
export function add(a: Usage, b: Usage): Usage {
  return sum([a, b]);
}

/** The sum of many; zeros do not count, and a single usage is given back as it is. */
export function sum(usages: readonly Usage[]): Usage {
  const real = usages.map(mended).filter((usage) => !isNone(usage));
  if (real.length < 2) return real[0] ?? none();
  const total: { -readonly [Field in keyof Usage]: Usage[Field] } = { ...none() };
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

/** Itself when all its figures are sound: one figure that is NaN would make every sum NaN, and a limit toothless. */
function mended(usage: Usage): Usage {
  const { cost, ...counts } = usage;
  const isSound = (cost === null || isCount(cost)) && fields.every((field) => isCount(counts[field]));
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

function count(value: unknown): number {
  return isCount(value) ? Math.min(Math.round(value), Number.MAX_SAFE_INTEGER) : 0;
}

/** Minus zero is none: JSON does not know it. */
function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && (value > 0 || Object.is(value, 0));
}
