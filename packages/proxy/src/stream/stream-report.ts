import { type InferenceEvent, type InferenceRequest, Usage } from '@vitrine/core';
import { bytesPerToken } from '../bytes-per-token.ts';

/** What became of one model call: told once for every call, however it ended. Never a prompt, an answer or a key. */
export type StreamReport = {
  readonly id: string;
  readonly ownerId: string | null;
  readonly model: string | null;
  /** `cancelled`: ended by a client, or because nobody read it. */
  readonly outcome: 'completed' | 'failed' | 'cancelled';
  /** The code of the error that ended it; null when it was completed. */
  readonly code: string | null;
  /** What the upstream said when it failed, secrets masked, at most 300 characters; for logs, not for pages. */
  readonly cause: string | null;
  /**
   * As the provider said, or estimated from the length of question and answer when it did not come to that, or the
   * provider does not count; one that failed before its first word has used nothing.
   */
  readonly usage: Usage;
  readonly isEstimated: boolean;
  readonly events: number;
  /** Characters of all events as JSON. */
  readonly characters: number;
  /** Milliseconds from the question to the end. */
  readonly ms: number;
  /** Milliseconds to the first event; null when there was none. */
  readonly firstEventMs: number | null;
};

/** Counts what passes, for the report. */
export type StreamCount = {
  readonly note: (event: InferenceEvent, characters: number) => void;
  readonly characters: () => number;
  readonly report: (how: Pick<StreamReport, 'outcome' | 'code' | 'cause'>) => StreamReport;
};

/** Begins to count now. */
export function countStream(
  about: Pick<StreamReport, 'id' | 'ownerId'> & {
    readonly request: InferenceRequest;
    readonly expected: Usage;
  },
): StreamCount {
  const { id, ownerId, request, expected } = about;
  const startedAt = performance.now();
  let events = 0;
  let characters = 0;
  let answered = 0;
  let firstEventMs: number | null = null;
  let usage: Usage | null = null;
  return {
    note(event, size) {
      firstEventMs ??= performance.now() - startedAt;
      events++;
      characters += size;
      if ('delta' in event) answered += event.delta.length;
      else if (event.type === 'tool-call' || event.type === 'file') answered++;
      if (event.type === 'finish') usage = counted(event.usage);
    },
    characters: () => characters,
    report: ({ outcome, code, cause }) => ({
      id,
      ownerId,
      model: request.model,
      outcome,
      code,
      cause,
      usage: usage ?? (outcome === 'failed' && answered === 0 ? Usage.none() : estimate(expected, answered)),
      isEstimated: usage === null,
      events,
      characters,
      ms: performance.now() - startedAt,
      firstEventMs,
    }),
  };
}

/** Gateways that do not count say nothing, or 0; no quota would ever be used up by it. */
function counted(usage: Usage | undefined): Usage | null {
  return usage !== undefined && usage.totalTokens > 0 ? usage : null;
}

function estimate({ inputTokens }: Usage, answered: number): Usage {
  return Usage.of({ inputTokens, outputTokens: Math.ceil(answered / bytesPerToken) });
}
