import type { InferenceClient, InferenceEvent, InferenceRequest } from '@vitrine/core';
import { createEventLog, type EventReader } from './event-log.ts';
import { withTimeouts } from './with-timeouts.ts';

/** One inference while it runs and for a while after: what was said so far, for clients that come late. */
export type InferenceLog = {
  readonly id: string;
  /** The principal that it belongs to; to others it is not there. */
  readonly ownerId: string;
  /**
   * A reader of the events from an offset on, until the signal says that its client has gone, with or without a body
   * that could be cancelled. The last one that leaves ends the inference.
   */
  readonly open: (offset: number, client: AbortSignal) => EventReader;
  /** The first event, when it has come; null when there is none. */
  readonly first: () => Promise<InferenceEvent | null>;
  readonly cancel: () => void;
  readonly isOver: () => boolean;
};

/** What {@link startInference} takes. Times are in milliseconds. */
export type InferenceLogOptions = {
  readonly id: string;
  readonly ownerId: string;
  readonly client: InferenceClient;
  readonly request: InferenceRequest;
  readonly firstEventTimeoutMs: number;
  readonly eventTimeoutMs: number;
  /** How long it goes on when nobody reads, in milliseconds. */
  readonly resumeGraceMs: number;
  /** Told the last event, if there was any. */
  readonly onOver: (last: InferenceEvent | null) => void;
};

/** Starts the inference at once and keeps its events. A reader that stalls holds the upstream back. */
export function startInference(options: InferenceLogOptions): InferenceLog {
  const { id, client, request, resumeGraceMs, onOver } = options;
  const controller = new AbortController();
  const log = createEventLog(() => setTimeout(endUnread, resumeGraceMs));
  let isOver = false;

  /** Without a reader nobody wants the answer, unless one has come back in time. */
  function endUnread(): void {
    if (log.readers() === 0) cancel();
  }

  function cancel(): void {
    controller.abort();
    // Also ends the wait for room that only a reader would have made.
    log.end();
  }

  function open(offset: number, client: AbortSignal): EventReader {
    const reader = log.open(offset);
    if (client.aborted) reader.close();
    else client.addEventListener('abort', reader.close, { once: true });
    return reader;
  }

  async function run(): Promise<void> {
    try {
      const stream = client.stream(request, { signal: controller.signal });
      for await (const event of withTimeouts(stream, options, controller.signal)) {
        log.add(event);
        await log.hasRoom();
      }
    } catch {
      // What was thrown may name keys or addresses, so the client is told no more than this.
      if (!controller.signal.aborted) log.add(callFailed);
    } finally {
      // Ends an upstream that a timeout has left waiting.
      cancel();
      isOver = true;
      onOver(log.last());
    }
  }

  void run();
  return { id, ownerId: options.ownerId, open, first: log.first, cancel, isOver: () => isOver };
}

const callFailed: InferenceEvent = {
  type: 'error',
  code: 'upstream-error',
  message: 'The model could not be called.',
  retryable: true,
  retryAfterMs: null,
};
