import { createParser } from 'eventsource-parser';
import type { InferenceEvent } from './inference-client.ts';
import { isInferenceEvent, isKnownEventType } from './is-inference-event.ts';
import { joinDeltas } from './join-deltas.ts';
import { failure } from './proxy-inference-call.ts';
import { readAhead } from './read-ahead.ts';

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
   * Those that are complete with what came within a moment, deltas of one part as one; null when the body has ended, or
   * when nothing has come for `idleMs`. Rejects when the body breaks.
   */
  readonly next: () => Promise<readonly ProxyEvent[] | null>;
  /** The id of the first event of this connection; null until one with an id has come. */
  readonly first: () => string | null;
  /** Lets go of the body. A complete answer is read to its end, so that the browser counts the request as done. */
  readonly close: (isComplete: boolean) => void;
};

/** Reads a body as server-sent events. No generator: each of them that an event goes through takes as long as reading it. */
export function proxyInferenceEvents(body: ReadableStream<Uint8Array>, idleMs: number): ProxyEvents {
  let events: ProxyEvent[] = [];
  let first: string | null = null;
  const parser = createParser({
    maxBufferSize: maxEventLength,
    onEvent({ id = null, data }) {
      first ??= id === '' ? null : id;
      events.push({ id, ...parseEvent(data) });
    },
    onError: (error) => {
      if (error.type !== 'max-buffer-size-exceeded') return;
      const event = failure('stream-malformed', 'The answer holds an event that is too long.', true);
      events.push({ id: null, event, unknownType: '' });
    },
  });
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const silence = watchSilence(idleMs, () => void reader.cancel().catch(() => undefined));
  const ahead = readAhead(reader, silence);
  return {
    async next() {
      const pieces = await ahead.next();
      if (pieces === null) return null;
      events = [];
      for (const piece of pieces) parser.feed(decoder.decode(piece, { stream: true }));
      return joinDeltas(events);
    },
    first: () => first,
    close(isComplete) {
      silence.release();
      ahead.close();
      if (isComplete) void drain(reader);
      else void reader.cancel().catch(() => undefined);
    },
  };
}

type Silence = { readonly begin: () => void; readonly end: () => void; readonly release: () => void };

/** Tells of a wait that takes longer than `ms`. One timer for all waits: one for each costs as much as reading. */
function watchSilence(ms: number, onSilent: () => void): Silence {
  let since: number | null = null;
  let timer = setTimeout(look, ms);
  function look(): void {
    const left = since === null ? ms : since + ms - performance.now();
    if (left <= 0) onSilent();
    else timer = setTimeout(look, left);
  }
  return {
    begin: () => (since = performance.now()),
    end: () => (since = null),
    release: () => clearTimeout(timer),
  };
}

async function drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const timer = setTimeout(() => void reader.cancel().catch(() => undefined), drainMs);
  try {
    while (!(await reader.read()).done) continue;
  } catch {
    // It broke behind its end, which is nobody's loss.
  }
  clearTimeout(timer);
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
