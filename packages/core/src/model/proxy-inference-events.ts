import { createParser } from 'eventsource-parser';
import type { InferenceEvent } from './inference-client.ts';
import { isInferenceEvent, isKnownEventType } from './is-inference-event.ts';
import { failure } from './proxy-inference-call.ts';

/** One server-sent event: what it says, or the type that this version does not know, and where to go on behind it. */
export type ProxyEvent = {
  readonly id: string | null;
  readonly event: InferenceEvent | null;
  readonly unknownType: string;
};

/** The most that a single event may take, so that a broken server cannot fill the memory. */
const maxEventLength = 8 * 1024 * 1024;
/** How long an answer that is complete may take to close by itself before it is cancelled. */
const drainMs = 1000;

/** The events of one connection. */
export type ProxyEvents = {
  /**
   * Those that are complete with the next bytes; null when the body has ended, or when nothing has come for `idleMs`.
   * Rejects when the body breaks.
   */
  readonly next: () => Promise<readonly ProxyEvent[] | null>;
  /** Lets go of the body. A complete answer is read to its end, so that the browser counts the request as done. */
  readonly close: (isComplete: boolean) => void;
};

/** Reads a body as server-sent events. No generator: each of them that an event goes through takes as long as reading it. */
export function proxyInferenceEvents(body: ReadableStream<Uint8Array>, idleMs: number): ProxyEvents {
  let events: ProxyEvent[] = [];
  const parser = createParser({
    maxBufferSize: maxEventLength,
    onEvent: ({ id, data }) => events.push({ id: id ?? null, ...parseEvent(data) }),
    onError: (error) => {
      if (error.type !== 'max-buffer-size-exceeded') return;
      const event = failure('stream-malformed', 'The answer holds an event that is too long.', true);
      events.push({ id: null, event, unknownType: '' });
    },
  });
  const reader = body.getReader();
  const decoder = new TextDecoder();
  return {
    async next() {
      const chunk = await readWithin(reader, idleMs);
      if (chunk === null || chunk.done) return null;
      events = [];
      parser.feed(decoder.decode(chunk.value, { stream: true }));
      return events;
    },
    close(isComplete) {
      if (isComplete) void drain(reader);
      else void reader.cancel().catch(() => undefined);
    },
  };
}

/** Null when nothing has come in time. */
function readWithin<Chunk extends { readonly done: boolean }>(
  reader: { readonly read: () => Promise<Chunk> },
  ms: number,
): Promise<Chunk | null> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms, null);
    const settle = (how: () => void): void => {
      clearTimeout(timer);
      how();
    };
    reader.read().then(
      (chunk) => settle(() => resolve(chunk)),
      (error: unknown) => settle(() => reject(error)),
    );
  });
}

async function drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const until = Date.now() + drainMs;
  try {
    while (Date.now() < until) if ((await readWithin(reader, drainMs))?.done !== false) break;
    await reader.cancel();
  } catch {
    // It broke behind its end, which is nobody's loss.
  }
}

function parseEvent(data: string): Pick<ProxyEvent, 'event' | 'unknownType'> {
  try {
    const event: unknown = JSON.parse(data);
    if (isInferenceEvent(event)) return { event, unknownType: '' };
    const type: unknown = (event as { type?: unknown } | null)?.type;
    // A newer proxy may say things that this version does not know.
    if (typeof type === 'string' && !isKnownEventType(type)) return { event: null, unknownType: type };
  } catch {
    // Answered below, like JSON that is not an event.
  }
  const message = `The proxy sent something that is not an inference event: ${data.slice(0, 80)}`;
  return { event: failure('stream-malformed', message, true), unknownType: '' };
}
