import { type InferenceEvent, type InferenceRequest, type ModelPrice, Usage } from '@vitrine/core';

/** Assumed bytes per token, on the safe side. Used only where a provider reports no usage. */
const bytesPerToken = 3;

/**
 * The report of one model call, given once for every call, however it ended. It never contains a prompt, an answer or a
 * key.
 */
export type StreamReport = {
  readonly id: string;
  readonly ownerId: string | null;
  readonly model: string | null;
  /** `cancelled`: ended by a client, or because nobody read it. */
  readonly outcome: 'completed' | 'failed' | 'cancelled';
  /** The code of the error that ended it; null for a completed call. */
  readonly code: string | null;
  /** The upstream's error with masked secrets, at most 300 characters; for logs, not for pages. */
  readonly cause: string | null;
  /**
   * The usage that the provider reported. Without a report it is the whole reservation of the call, because a model may
   * have thought without any text: the reader left, the answer was cut or cancelled, or the provider does not count.
   * Zero when the provider accepted no request.
   */
  readonly usage: Usage;
  /** True when the provider did not report the usage. */
  readonly isEstimated: boolean;
  readonly events: number;
  /** Characters of all events as JSON. */
  readonly characters: number;
  /** Milliseconds from the request to the end. */
  readonly ms: number;
  /** Milliseconds to the first event; null when there was none. */
  readonly firstEventMs: number | null;
};

/** Counts events for the report. */
type StreamCount = {
  readonly note: (event: InferenceEvent, characters: number) => void;
  readonly characters: () => number;
  /**
   * The last event with its cost by the operator's price, for pages that have no price of their own. Tokens that the
   * provider did not count have no cost: pages estimate them.
   */
  readonly withCost: (last: InferenceEvent) => InferenceEvent;
  /** @param how `isRefused`: the provider took no request, so it bills none. */
  readonly report: (
    how: Pick<StreamReport, 'outcome' | 'code' | 'cause'> & { readonly isRefused: boolean },
  ) => StreamReport;
};

/** Starts counting. */
export function countStream(
  about: Pick<StreamReport, 'id' | 'ownerId'> & {
    readonly request: InferenceRequest;
    readonly expected: Usage;
    readonly price: ModelPrice | null;
  },
): StreamCount {
  const { id, ownerId, request, expected, price } = about;
  const startedAt = performance.now();
  let events = 0;
  let characters = 0;
  let answered = 0;
  let isHeard = false;
  let firstEventMs: number | null = null;
  let usage: Usage | null = null;
  return {
    note(event, size) {
      firstEventMs ??= performance.now() - startedAt;
      events++;
      characters += size;
      isHeard ||= event.type !== 'error';
      if ('delta' in event) answered += event.delta.length;
      else if (event.type === 'tool-call' || event.type === 'file') answered++;
      if (event.type === 'finish') usage = counted(event.usage, answered);
    },
    characters: () => characters,
    withCost: (last) =>
      last.type === 'finish' && price !== null && usage !== null
        ? { ...last, usage: { ...last.usage, cost: Usage.priced(usage, price).cost } }
        : last,
    report: ({ outcome, code, cause, isRefused }) => ({
      id,
      ownerId,
      model: request.model,
      outcome,
      code,
      cause,
      usage: usage ?? (isRefused && !isHeard ? Usage.none() : reserved(expected, answered)),
      isEstimated: usage === null,
      events,
      characters,
      ms: performance.now() - startedAt,
      firstEventMs,
    }),
  };
}

type Told = Extract<InferenceEvent, { type: 'finish' }>['usage'];

/**
 * The reported usage; null when the provider does not count. Many gateways report nothing, zeros, or only the input,
 * which would never use up a quota.
 */
function counted(told: Told | undefined, answered: number): Usage | null {
  if (told === undefined) return null;
  const { inputTokens, outputTokens, totalTokens } = told;
  const usage = Usage.of({
    ...told,
    inputTokens: inputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
    totalTokens: totalTokens ?? 0,
  });
  if (usage.totalTokens === 0) return null;
  return usage.outputTokens === 0 && answered > 0 && usage.totalTokens <= usage.inputTokens ? null : usage;
}

/** The reserved usage, or more when the answer was longer. */
function reserved(expected: Usage, answered: number): Usage {
  const outputTokens = Math.max(expected.outputTokens, Math.ceil(answered / bytesPerToken));
  return outputTokens === expected.outputTokens
    ? expected
    : Usage.of({ ...expected, outputTokens, totalTokens: expected.inputTokens + outputTokens, cost: null });
}

/** Codes of events for a request that the provider did not accept. */
const refusals: readonly string[] = [
  'request-not-supported',
  'upstream-invalid-request',
  'upstream-quota-exhausted',
  'upstream-rate-limited',
  'upstream-unauthorized',
  'upstream-unknown-model',
];

/** Statuses of a busy provider. After any other status from 500 on it may have worked for long. */
const busy: readonly unknown[] = [503, 529];

/** Codes of connections that were never established, so that nothing was sent. */
const unconnected: readonly unknown[] = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
];

/**
 * True when a failed call surely did not begin, so that nobody bills it. It decides by the event that ended the call,
 * or by the error. A broken connection is no such sign.
 */
export function isRefusedCall(last: InferenceEvent, thrown: unknown): boolean {
  if (last.type !== 'error') return false;
  return refusals.includes(last.code) || isUnsent(thrown, 0);
}

function isUnsent(error: unknown, depth: number): boolean {
  if (typeof error !== 'object' || error === null || depth > 4) return false;
  const { statusCode, code, cause } = error as Failure;
  return busy.includes(statusCode) || unconnected.includes(code) || isUnsent(cause, depth + 1);
}

type Failure = { readonly statusCode?: unknown; readonly code?: unknown; readonly cause?: unknown };
