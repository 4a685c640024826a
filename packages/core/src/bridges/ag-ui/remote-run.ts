import { createParser } from 'eventsource-parser';
import { createDeferred, type Deferred } from '../../kit/async.ts';
import { isPlainObject, modelJson, readJson } from '../../kit/json.ts';
import type { AgUiRunInput } from './protocol.ts';

/** An event as it came; every field is checked where it is read. */
export type RemoteEvent = { readonly type: string; readonly [field: string]: unknown };

/** The address and the access of an AG-UI backend. */
export type RemoteOptions = {
  /** The address that takes `RunAgentInput` by POST and answers with server-sent events. */
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
  readonly close: () => void;
};

/** Most characters of one event and of all events of a run. */
const most = { event: 8 * 2 ** 20, run: 64 * 2 ** 20 };

/** Begins a run at the backend, whose errors continue a sentence about it. `onSkipped` is called for what is no event. */
export function openRun(
  options: RemoteOptions,
  input: AgUiRunInput,
  onSkipped: (what: string) => void,
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
  read(options, input, { controller, take, onSkipped }).then(() => end(null), end);
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

type Reading = {
  readonly controller: AbortController;
  readonly take: (event: RemoteEvent) => void;
  readonly onSkipped: (what: string) => void;
};

async function read(
  { url, headers = {}, fetch: call = globalThis.fetch, idleMs = 120_000 }: RemoteOptions,
  input: AgUiRunInput,
  { controller, take, onSkipped }: Reading,
): Promise<void> {
  const silent = (): void => controller.abort(new Error(`it has sent nothing for ${idleMs} ms`));
  let timer = setTimeout(silent, idleMs);
  const parser = createParser({
    maxBufferSize: most.event,
    onEvent({ data }) {
      if (data.length > most.event) throw tooLong();
      const json = readJson(data, modelJson);
      const event = json.ok && isPlainObject(json.value) ? json.value : {};
      if (typeof event['type'] === 'string') take(event as RemoteEvent);
      else onSkipped('no event');
    },
    onError({ type }) {
      // The parser takes nothing more after such an event.
      if (type === 'max-buffer-size-exceeded') throw tooLong();
      onSkipped('no event');
    },
  });
  try {
    const own = typeof headers === 'function' ? headers() : headers;
    const response = await call(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...own },
      body: JSON.stringify(input),
      signal: controller.signal,
    });
    if (!response.ok || response.body === null) throw new Error(`it answered with status ${response.status}`);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let length = 0; ;) {
      const { done, value } = await reader.read();
      if (done) return parser.reset({ consume: true });
      length += value.length;
      if (length > most.run) throw new Error(`it has sent more than ${most.run} characters in one run`);
      clearTimeout(timer);
      timer = setTimeout(silent, idleMs);
      parser.feed(value);
    }
  } finally {
    clearTimeout(timer);
    controller.abort();
  }
}

function tooLong(): Error {
  return new Error(`it has sent an event of more than ${most.event} characters`);
}
