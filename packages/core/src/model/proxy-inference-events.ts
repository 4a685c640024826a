import { createParser } from 'eventsource-parser';
import { readJson } from '../kit/json.ts';
import type { InferenceEvent } from './inference-client.ts';
import { failure } from './proxy-inference-call.ts';
import { readAhead, type Silence } from './read-ahead.ts';

/** One server-sent event: its content, or the type that this version does not know, and the id to resume after it. */
export type ProxyEvent = {
  readonly id: string | null;
  readonly event: InferenceEvent | null;
  readonly unknownType: string;
};

/** Longest single event in bytes, so that a broken server cannot fill the memory. */
const maxEventLength = 8 * 1024 * 1024;
/** Time in milliseconds for a complete answer to close by itself before it is cancelled. */
const drainMs = 1000;

export type ProxyEvents = ReturnType<typeof proxyInferenceEvents>;

/** Reads a body as server-sent events. It uses no generator, which would double the time of an event. */
export function proxyInferenceEvents(body: ReadableStream<Uint8Array>, idleMs: number) {
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
    /** The next complete events, deltas joined; null at the end or after `idleMs`. Rejects when the body breaks. */
    async next(): Promise<readonly ProxyEvent[] | null> {
      const pieces = await ahead.next();
      if (pieces === null) return null;
      events = [];
      for (const piece of pieces) parser.feed(decoder.decode(piece, { stream: true }));
      return joinDeltas(events);
    },
    /** The id of the first event of this connection; null until an event with an id has come. */
    first: () => first,
    /** Releases the body. A complete answer is read to its end, so that the browser counts the request as done. */
    close(isComplete: boolean): void {
      silence.release();
      ahead.close();
      if (isComplete) void drain(reader);
      else void reader.cancel().catch(() => undefined);
    },
  };
}

/** Reports a wait longer than `ms`. One timer serves all waits, because a timer for each costs as much as reading. */
function watchSilence(ms: number, onSilent: () => void): Silence & { readonly release: () => void } {
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
    // The body broke after the end of the answer, which loses nothing.
  }
  clearTimeout(timer);
}

function parseEvent(data: string): Pick<ProxyEvent, 'event' | 'unknownType'> {
  const json = readJson(data);
  const event: unknown = json.ok ? json.value : null;
  if (isInferenceEvent(event)) return { event, unknownType: '' };
  const type: unknown = (event as { type?: unknown } | null)?.type;
  // A newer proxy may send types that this version does not know.
  if (typeof type === 'string' && !isKnownEventType(type)) return { event: null, unknownType: type };
  const message = `The proxy sent something that is not an inference event: ${data.slice(0, 80)}`;
  return { event: failure('stream-malformed', message, true), unknownType: '' };
}

type Check = (event: Record<string, unknown>) => boolean;

const text =
  (...keys: string[]): Check =>
  (event) =>
    keys.every((key) => typeof event[key] === 'string');

/** Type checks of the required fields of each event; they replace a schema library for each delta. */
const checks: { readonly [Type in InferenceEvent['type']]: Check } = {
  start: () => true,
  switch: text('code'),
  'text-delta': text('delta'),
  'reasoning-delta': text('delta'),
  'tool-call-start': text('toolCallId', 'toolName'),
  'tool-call-delta': text('toolCallId', 'delta'),
  'tool-call': (event) => text('toolCallId', 'toolName')(event) && event['input'] !== undefined,
  'tool-elsewhere': (event) => text('toolCallId', 'outcome')(event) && event['result'] !== undefined,
  file: text('mediaType'),
  source: text('id'),
  finish: text('finishReason'),
  error: text('code', 'message'),
};

/** True for the event types of this protocol version; types of a newer server are skipped. */
function isKnownEventType(type: string): type is InferenceEvent['type'] {
  return Object.hasOwn(checks, type);
}

/** True for an event of a known type with its required fields. */
function isInferenceEvent(value: unknown): value is InferenceEvent {
  if (typeof value !== 'object' || value === null) return false;
  const event = value as Record<string, unknown>;
  const type = event['type'];
  return typeof type === 'string' && isKnownEventType(type) && checks[type](event);
}

type Joinable = { readonly event: InferenceEvent | null };
type Delta = Extract<InferenceEvent, { readonly delta: string }>;

/** Joins consecutive deltas of one part, or one call, at the position of the last of them. */
export function joinDeltas<Item extends Joinable>(events: readonly Item[]): readonly Item[] {
  const joined: Item[] = [];
  for (const next of events) {
    const both = joinedWith(joined.at(-1)?.event ?? null, next.event);
    if (both === null) joined.push(next);
    else joined[joined.length - 1] = { ...next, event: both };
  }
  return joined;
}

function joinedWith(before: InferenceEvent | null, next: InferenceEvent | null): Delta | null {
  if (before === null || next === null || !('delta' in before) || !('delta' in next)) return null;
  return isOne(before, next) ? { ...next, delta: before.delta + next.delta } : null;
}

function isOne(a: Delta, b: Delta): boolean {
  if (a.type === 'tool-call-delta') return b.type === a.type && a.toolCallId === b.toolCallId;
  const isPlain = a.providerMetadata === undefined;
  return isPlain && b.type === a.type && b.providerMetadata === undefined && a.partId === b.partId;
}
