import { createParser } from 'eventsource-parser';
import { createDeferred, type Deferred, linkSignals } from '../../kit/async.ts';
import { isPlainObject, modelJson, readJson } from '../../kit/json.ts';

/** An event in the words of AG-UI; every field is checked where it is read. */
export type RemoteEvent = { readonly type: string; readonly [field: string]: unknown };

/** The address and the access of a backend. */
export type RemoteOptions = {
  /** The address of the backend. */
  readonly url: string;
  /** Headers of each request, or a function that gives them. */
  readonly headers?: Readonly<Record<string, string>> | (() => Readonly<Record<string, string>>);
  /** Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  /** Longest time in milliseconds without an event. Default: 120,000. */
  readonly idleMs?: number;
};

/** A run of a backend. Its events are read as they come and taken in order. */
export type RemoteRun = {
  /** The next event; null at the end of the stream. Rejects when the backend cannot be reached or breaks off. */
  readonly next: () => Promise<RemoteEvent | null>;
  /** Gives an event back, so that it is the next one. */
  readonly giveBack: (event: RemoteEvent) => void;
  /** Resolves with the event of a call's result, or with null when the run ends without it. */
  readonly resultOf: (toolCallId: string) => Promise<RemoteEvent | null>;
  /** Ends the reading. */
  readonly close: () => void;
};

/** Most characters of one event and of all events of a run. */
const most = { event: 8 * 2 ** 20, run: 64 * 2 ** 20 };

/**
 * A run whose events `read` gives to `take` until it resolves, or `signal` is aborted. Its errors continue a sentence
 * about the backend.
 */
export function openRun(
  read: (take: (event: RemoteEvent) => void, signal: AbortSignal) => Promise<void>,
): RemoteRun {
  const controller = new AbortController();
  const waiting: RemoteEvent[] = [];
  const results = new Map<string, RemoteEvent>();
  const asked = new Map<string, Deferred<RemoteEvent | null>>();
  let ended: { readonly error: unknown } | null = null;
  let wake = createDeferred<void>();
  const end = (error: unknown): void => {
    ended = { error };
    for (const deferred of asked.values()) deferred.resolve(null);
    wake.resolve();
  };
  const take = (event: RemoteEvent): void => {
    const { type, toolCallId } = event;
    if (type === 'TOOL_CALL_RESULT' && typeof toolCallId === 'string') {
      results.set(toolCallId, event);
      asked.get(toolCallId)?.resolve(event);
    }
    waiting.push(event);
    wake.resolve();
  };
  read(take, controller.signal).then(() => end(null), end);
  return {
    async next() {
      for (;;) {
        const event = waiting.shift();
        if (event !== undefined) return event;
        if (ended !== null) {
          if (ended.error !== null) throw ended.error;
          return null;
        }
        await wake.promise;
        wake = createDeferred();
      }
    },
    giveBack: (event) => void waiting.unshift(event),
    resultOf(toolCallId) {
      const known = results.get(toolCallId);
      if (known !== undefined || ended !== null) return Promise.resolve(known ?? null);
      const deferred = asked.get(toolCallId) ?? createDeferred<RemoteEvent | null>();
      asked.set(toolCallId, deferred);
      return deferred.promise;
    },
    close: () => controller.abort(),
  };
}

/** A request to a backend, and what is done with the events of its answer. */
export type Reading = {
  readonly url: string;
  readonly body: unknown;
  readonly signal: AbortSignal;
  /** Takes an event; true ends the reading. */
  readonly onEvent: (event: { readonly [field: string]: unknown }) => boolean | void;
  /** Called for what is no event. */
  readonly onSkipped: (what: string) => void;
};

/** Makes a request and reads the server-sent events of its answer. @returns true when `onEvent` ended the reading. */
export async function readEvents(
  options: RemoteOptions,
  { url, body, signal, onEvent, onSkipped }: Reading,
): Promise<boolean> {
  const { idleMs = 120_000 } = options;
  const own = new AbortController();
  const linked = linkSignals([signal, own.signal]);
  const silent = (): void => own.abort(new Error(`it has sent nothing for ${idleMs} ms`));
  let timer = setTimeout(silent, idleMs);
  let isOver = false;
  const parser = createParser({
    maxBufferSize: most.event,
    onEvent({ data }) {
      if (isOver) return;
      if (data.length > most.event) throw tooLong();
      const json = readJson(data, modelJson);
      if (json.ok && isPlainObject(json.value)) isOver = onEvent(json.value) === true;
      else onSkipped('no event');
    },
    onError({ type }) {
      // The parser takes nothing more after such an event.
      if (type === 'max-buffer-size-exceeded') throw tooLong();
      onSkipped('no event');
    },
  });
  try {
    const response = await request(options, {
      url,
      body,
      accept: 'text/event-stream',
      signal: linked.signal,
    });
    if (response.body === null) throw refused(response.status);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let length = 0; !isOver;) {
      const { done, value } = await reader.read();
      if (done) {
        parser.reset({ consume: true });
        break;
      }
      length += value.length;
      if (length > most.run) throw new Error(`it has sent more than ${most.run} characters in one run`);
      clearTimeout(timer);
      timer = setTimeout(silent, idleMs);
      parser.feed(value);
    }
    return isOver;
  } finally {
    clearTimeout(timer);
    own.abort();
    linked.release();
  }
}

/** Makes a request with the access of the moment: a POST of `body`, or a GET without one. @throws Error for a status of an error */
export async function request(
  { headers = {}, fetch: call = globalThis.fetch }: RemoteOptions,
  given: {
    readonly url: string;
    readonly body?: unknown;
    readonly accept: string;
    readonly signal: AbortSignal;
  },
): Promise<Response> {
  const { url, body, accept, signal } = given;
  const own = typeof headers === 'function' ? headers() : headers;
  const response = await call(url, {
    headers: { accept, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...own },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    signal,
  });
  if (!response.ok) throw refused(response.status);
  return response;
}

function refused(status: number): Error {
  return new Error(`it answered with status ${status}`);
}

function tooLong(): Error {
  return new Error(`it has sent an event of more than ${most.event} characters`);
}
