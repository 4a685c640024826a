import { count, isCount } from '../kit/numbers.ts';
import { add, of, type Usage } from './usage.ts';

type Figure = 'inputTokens' | 'outputTokens' | 'totalTokens';

/**
 * Usage as a provider reports it. A null figure is unknown, which never counts as 0; parts are 0 when nobody reported
 * them. A price of the application takes precedence over the reported cost.
 */
export type ReportedUsage = Omit<Usage, Figure> & { readonly [Key in Figure]: number | null } & {
  /** Present when a client guarantees its zeros: it answered without a model, from a script or a cache. */
  readonly isExact?: true;
};

/** Reads usage from a report: absent, negative, infinite and textual figures are unknown. */
export function reportedUsage(raw: unknown): ReportedUsage {
  const figures = (typeof raw === 'object' && raw !== null ? raw : {}) as { readonly [key: string]: unknown };
  const cacheWriteHourTokens = count(figures['cacheWriteHourTokens']);
  return {
    inputTokens: figure(figures['inputTokens']),
    outputTokens: figure(figures['outputTokens']),
    reasoningTokens: count(figures['reasoningTokens']),
    cacheReadTokens: count(figures['cacheReadTokens']),
    cacheWriteTokens: count(figures['cacheWriteTokens']),
    ...(cacheWriteHourTokens > 0 ? { cacheWriteHourTokens } : {}),
    totalTokens: figure(figures['totalTokens']),
    cost: isCount(figures['cost']) ? Math.min(figures['cost'], Number.MAX_SAFE_INTEGER) : null,
    ...(figures['isEstimated'] === true ? { isEstimated: true } : {}),
    ...(figures['isExact'] === true ? { isExact: true } : {}),
  };
}

/** A report without figures. */
export const unreported: ReportedUsage = /* @__PURE__ */ reportedUsage(null);

/** UTF-8 bytes that a call sent and received; functions, because they are counted only for unknown figures. */
export type CallBytes = { readonly countOut: () => number; readonly countIn: () => number };

/**
 * The usage of a call. Credible figures are kept and the others estimated from bytes. A request never has 0 tokens,
 * nor has an answer with content, unless the client guarantees it.
 */
export function usageOfCall(reported: ReportedUsage, bytes: CallBytes): Usage {
  const { inputTokens, outputTokens, totalTokens, cacheReadTokens, cacheWriteTokens } = reported;
  const isExact = reported.isExact === true;
  const input = inputTokens === 0 && !isExact ? null : inputTokens;
  const output = outputTokens === 0 && !isExact && bytes.countIn() > 0 ? null : outputTokens;
  const total = totalTokens ?? 0;
  if (input !== null && output !== null)
    return of({ ...reported, inputTokens: input, outputTokens: output, totalTokens: total });
  const cached = cacheReadTokens + cacheWriteTokens;
  const sent = input ?? Math.max(tokensOfBytes(bytes.countOut()), cached, total - (output ?? Infinity));
  const received = output ?? Math.max(tokensOfBytes(bytes.countIn()), total - sent);
  return of({
    ...reported,
    inputTokens: sent,
    outputTokens: received,
    totalTokens: total,
    isEstimated: true,
  });
}

/** Adds usage to earlier charges. The cost is unknown as soon as one of the two is. */
export function addCharge(before: Usage | null, usage: Usage): Usage {
  if (before === null) return usage;
  const both = add(before, usage);
  return before.cost === null || usage.cost === null ? { ...both, cost: null } : both;
}

/** Bytes of text a token for estimates: below the value of most texts, so that estimates are rather too high. */
const bytesPerToken = 3;

function tokensOfBytes(bytes: number): number {
  return Math.ceil(bytes / bytesPerToken);
}

function figure(value: unknown): number | null {
  return isCount(value) ? count(value) : null;
}
