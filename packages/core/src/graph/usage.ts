/** Tokens and money of one or more model calls. `cost` is in US dollars, null when no price is known. */
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

export function none(): Usage {
  return zero;
}

/** Usage from what is known; `totalTokens` defaults to input plus output. */
export function of(init: Partial<Usage> = {}): Usage {
  const usage = { ...zero, ...init };
  return { ...usage, totalTokens: init.totalTokens ?? usage.inputTokens + usage.outputTokens };
}

/** The sum; one of the two itself when the other is zero. A cost is known when either side's is. */
export function add(a: Usage, b: Usage): Usage {
  return sum([a, b]);
}

/** The sum of many; zeros do not count, and a single usage is given back as it is. */
export function sum(usages: readonly Usage[]): Usage {
  const real = usages.filter((usage) => !isNone(usage));
  if (real.length < 2) return real[0] ?? zero;
  const total: { -readonly [Field in keyof Usage]: Usage[Field] } = { ...zero };
  for (const usage of real) {
    total.inputTokens += usage.inputTokens;
    total.outputTokens += usage.outputTokens;
    total.reasoningTokens += usage.reasoningTokens;
    total.cacheReadTokens += usage.cacheReadTokens;
    total.cacheWriteTokens += usage.cacheWriteTokens;
    total.totalTokens += usage.totalTokens;
    if (usage.cost !== null) total.cost = (total.cost ?? 0) + usage.cost;
  }
  return total;
}

export function isNone(usage: Usage): boolean {
  return (
    usage.totalTokens === 0 && usage.inputTokens === 0 && usage.outputTokens === 0 && (usage.cost ?? 0) === 0
  );
}
