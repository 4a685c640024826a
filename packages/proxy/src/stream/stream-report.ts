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
  /**
   * The upstream's error with masked secrets, at most 300 characters; for logs, not for pages. A completed call has one
   * when the model was asked again without what it refused.
   */
  readonly cause: string | null;
  /**
   * The usage that the provider reported. Without a report:
   * - zero for a call that was not sent or was refused (see `Usage.isFree`) before any part of an answer;
   * - the input and what came when the provider failed otherwise, or its connection broke;
   * - the whole reservation when the answer ended without a report or was ended here, because a model may have thought
   *   without any text: the reader left, the time was over, it cannot be read, or the provider does not count.
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

/** The end of a call, with the error of its client; null for none, and for a call that was ended here. */
type CallEnd = Pick<StreamReport, 'outcome' | 'code' | 'cause'> & { readonly thrown: unknown };

export type StreamCount = ReturnType<typeof countStream>;

export function countStream(
  about: Pick<StreamReport, 'id' | 'ownerId'> & {
    readonly request: InferenceRequest;
    readonly expected: Usage;
    readonly price: ModelPrice | null;
  },
) {
  const { id, ownerId, request, expected, price } = about;
  const startedAt = performance.now();
  let events = 0;
  let characters = 0;
  let answered = 0;
  let hasEvents = false;
  let firstEventMs: number | null = null;
  let usage: Usage | null = null;
  let last: InferenceEvent | null = null;

  function estimateUsage(thrown: unknown): Usage {
    const hasFailed = last?.type === 'error' || (last?.type !== 'finish' && thrown !== null);
    if (!hasFailed || mayGoOn(last)) return reservedUsage(expected, answered);
    if (!hasEvents && (Usage.isFree(last) || Usage.isFree(thrown))) return Usage.none();
    return withOutput(expected, tokensOf(answered));
  }

  return {
    note(event: InferenceEvent, size: number): void {
      firstEventMs ??= performance.now() - startedAt;
      events++;
      characters += size;
      hasEvents ||= hasContent(event);
      last = event;
      if ('delta' in event) answered += event.delta.length;
      else if (event.type === 'tool-call' || event.type === 'file') answered++;
      if (event.type === 'finish') usage = countedUsage(event.usage, answered);
    },
    characters: (): number => characters,
    /** The last event with its cost by the operator's price. Tokens that nobody counted have none: pages guess them. */
    withCost: (last: InferenceEvent): InferenceEvent =>
      last.type === 'finish' && price !== null && usage !== null
        ? { ...last, usage: { ...last.usage, ...costOf(Usage.withPrice(usage, price)) } }
        : last,
    report: ({ outcome, code, cause, thrown }: CallEnd): StreamReport => ({
      id,
      ownerId,
      model: request.model,
      outcome,
      code,
      cause,
      usage: usage ?? estimateUsage(thrown),
      isEstimated: usage === null,
      events,
      characters,
      ms: performance.now() - startedAt,
      firstEventMs,
    }),
  };
}

function costOf({ cost, isEstimated }: Usage): Pick<Usage, 'cost' | 'isEstimated'> {
  return isEstimated === true ? { cost, isEstimated } : { cost };
}

type ReportedUsage = Extract<InferenceEvent, { type: 'finish' }>['usage'];

/** The reported usage. Null for gateways that report nothing, zeros, or only the input: it would use up no quota. */
function countedUsage(reported: ReportedUsage | undefined, answered: number): Usage | null {
  if (reported === undefined) return null;
  const { inputTokens, outputTokens, totalTokens } = reported;
  const usage = Usage.of({
    ...reported,
    inputTokens: inputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
    totalTokens: totalTokens ?? 0,
  });
  if (usage.totalTokens === 0) return null;
  return usage.outputTokens === 0 && answered > 0 && usage.totalTokens <= usage.inputTokens ? null : usage;
}

/** True for an event with a part of an answer. Some providers begin with an empty delta. */
export function hasContent(event: InferenceEvent): boolean {
  if ('delta' in event) return event.delta !== '';
  return event.type !== 'start' && event.type !== 'switch' && event.type !== 'error';
}

/** True when the provider may have gone on: it was too slow, or sent what cannot be read. */
function mayGoOn(last: InferenceEvent | null): boolean {
  return last?.type === 'error' && (last.code === 'upstream-timeout' || last.code === 'stream-malformed');
}

/** The reserved usage, or more when the answer was longer. */
function reservedUsage(expected: Usage, answered: number): Usage {
  const outputTokens = Math.max(expected.outputTokens, tokensOf(answered));
  return outputTokens === expected.outputTokens ? expected : withOutput(expected, outputTokens);
}

function withOutput(expected: Usage, outputTokens: number): Usage {
  return Usage.of({
    ...expected,
    outputTokens,
    totalTokens: expected.inputTokens + outputTokens,
    cost: null,
  });
}

function tokensOf(characters: number): number {
  return Math.ceil(characters / bytesPerToken);
}
