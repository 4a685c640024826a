import type { Usage } from './usage.ts';

/**
 * The usage that somebody else reports, as state may hold it: token counts that are missing, negative, NaN or no
 * numbers are 0, fractions are rounded, a missing total is input plus output, and a cost that is no amount is null.
 * Counts end at 2^53 - 1, so that sums stay numbers. Well-formed usage comes back equal. Never throws for plain data.
 */
export function normalizeUsage(raw: unknown): Usage {
  const given = (typeof raw === 'object' && raw !== null ? raw : {}) as {
    readonly [Key in keyof Usage]?: unknown;
  };
  const inputTokens = tokens(given.inputTokens);
  const outputTokens = tokens(given.outputTokens);
  const { totalTokens, cost } = given;
  return {
    inputTokens,
    outputTokens,
    reasoningTokens: tokens(given.reasoningTokens),
    cacheReadTokens: tokens(given.cacheReadTokens),
    cacheWriteTokens: tokens(given.cacheWriteTokens),
    totalTokens: isAmount(totalTokens) ? tokens(totalTokens) : inputTokens + outputTokens,
    cost: isAmount(cost) ? Math.min(cost, Number.MAX_SAFE_INTEGER) : null,
  };
}

function tokens(count: unknown): number {
  return isAmount(count) ? Math.min(Math.round(count), Number.MAX_SAFE_INTEGER) : 0;
}

/** Minus zero is none: JSON does not know it. */
function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && (value > 0 || Object.is(value, 0));
}
