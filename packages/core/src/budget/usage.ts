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

/** The sum; the same reference as one side when the other is zero. A cost is known when either side's is. */
export function add(a: Usage, b: Usage): Usage {
  if (isNone(b)) return a;
  if (isNone(a)) return b;
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    totalTokens: a.totalTokens + b.totalTokens,
    cost: a.cost === null && b.cost === null ? null : (a.cost ?? 0) + (b.cost ?? 0),
  };
}

export function isNone(usage: Usage): boolean {
  return (
    usage.totalTokens === 0 && usage.inputTokens === 0 && usage.outputTokens === 0 && (usage.cost ?? 0) === 0
  );
}
