import type { InferenceClient, InferenceEvent, InferenceRequest } from '@vitrine/core';
import { withTimeouts } from './with-timeouts.ts';

/** One inference while it runs and for a while after: what was said so far, for clients that come late. */
export type InferenceLog = {
  readonly id: string;
  /** Events from an offset on, waiting for more until the stream is over. */
  readonly read: (
    offset: number,
    signal: AbortSignal,
  ) => AsyncGenerator<{ offset: number; event: InferenceEvent }>;
  /** The first event, when it has come. */
  readonly first: () => Promise<InferenceEvent | null>;
  readonly cancel: () => void;
  readonly isOver: () => boolean;
  readonly readers: () => number;
};

export type InferenceLogOptions = {
  readonly id: string;
  readonly client: InferenceClient;
  readonly request: InferenceRequest;
  readonly firstEventTimeoutMs: number;
  readonly eventTimeoutMs: number;
  /** Told the last event, if there was any. */
  readonly onOver: (last: InferenceEvent | null) => void;
};

/** Starts the inference at once and keeps its events. */
export function startInference(options: InferenceLogOptions): InferenceLog {
  const { id, client, request, onOver } = options;
  const controller = new AbortController();
  const events: InferenceEvent[] = [];
  let wake = createSignal();
  let isOver = false;
  let readers = 0;

  function notify(): void {
    const previous = wake;
    wake = createSignal();
    previous.resolve();
  }

  async function run(): Promise<void> {
    try {
      const stream = client.stream(request, { signal: controller.signal });
      for await (const event of withTimeouts(stream, options, controller.signal)) {
        events.push(event);
        notify();
      }
    } catch {
      // What was thrown may name keys or addresses, so the client is told no more than this.
      if (!controller.signal.aborted) {
        events.push({
          type: 'error',
          code: 'upstream-error',
          message: 'The model could not be called.',
          retryable: true,
          retryAfterMs: null,
        });
      }
    } finally {
      // Ends an upstream that a timeout has left waiting.
      controller.abort();
      isOver = true;
      notify();
      onOver(events.at(-1) ?? null);
    }
  }

  void run();
  return {
    id,
    async *read(offset, signal) {
      readers++;
      const aborted = createSignal();
      const onAbort = (): void => aborted.resolve();
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        for (let at = offset; !signal.aborted;) {
          const event = events[at];
          if (event) yield { offset: at++, event };
          else if (isOver) return;
          else await Promise.race([wake.promise, aborted.promise]);
        }
      } finally {
        readers--;
        signal.removeEventListener('abort', onAbort);
      }
    },
    async first() {
      while (events.length === 0 && !isOver) await wake.promise;
      return events[0] ?? null;
    },
    cancel: () => controller.abort(),
    isOver: () => isOver,
    readers: () => readers,
  };
}

function createSignal(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve: () => resolve() };
}
