import { createParser } from 'eventsource-parser';
import { linkSignals } from '@vitrine/core/internal/kit/async';
import { createDeferred, type Deferred } from '@vitrine/core/internal/kit/deferred';
import { isPlainObject, modelJson, readJson } from '@vitrine/core/internal/kit/json';
import { foreign } from '@vitrine/inspect/internal/foreign/foreign-values';

/** An event in the words of AG-UI; every field is checked where it is read. */
export type RemoteEvent = { readonly type: string; readonly [field: string]: unknown };

/** A question of a backend, as far as a bridge reads it. */
export type RemoteQuestion = {
  readonly id: string;
  readonly message: string | null;
  /** The backend's id of the call that waits, or of the one that stands for the question. */
  readonly toolCallId: string;
  /** `call` asks for itself, and `none` stands for a question without a call. */
  readonly of: 'call' | 'none';
  /** The form of the answer that the backend wants, where it has several. */
  readonly form?: string;
};

/** True for the end of a run that was stopped where it ran. */
export function isCancelled({ outcome }: RemoteEvent): boolean {
  return foreign(outcome)['type'] === 'cancelled';
}

/** An interrupt of AG-UI; every field but its id is checked where it is read. */
export type Interrupt = { readonly id: string; readonly [field: string]: unknown };

/** The interrupts with which a run ends. */
export function interruptsIn(finished: RemoteEvent | null): readonly Interrupt[] {
  const raised = foreign(finished?.['outcome'])['interrupts'];
  const isInterrupt = (one: unknown): one is Interrupt => isPlainObject(one) && typeof one['id'] === 'string';
  return Array.isArray(raised) ? raised.filter(isInterrupt) : [];
}

/** The questions with which a run ends, given its calls without a result. */
export function questionsIn(event: RemoteEvent, calls: ReadonlySet<string>): readonly RemoteQuestion[] {
  return interruptsIn(event).map(({ id, message, toolCallId, form }) => {
    const isOfCall = typeof toolCallId === 'string' && calls.has(toolCallId);
    return {
      id,
      message: typeof message === 'string' ? message : null,
      ...(typeof form === 'string' ? { form } : {}),
      ...(isOfCall ? { toolCallId, of: 'call' } : { toolCallId: id, of: 'none' }),
    };
  });
}

export type RemoteOptions = {
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
  /** Resolves with the result of a call or the begin of its subagent, whichever comes first; null for neither. */
  readonly fateOf: (toolCallId: string) => Promise<RemoteEvent | null>;
  /** The event with which the run has ended, also before it is taken; null while it goes on or when it broke off. */
  readonly finishEvent: () => RemoteEvent | null;
  readonly close: () => void;
};

const most = { event: 8 * 2 ** 20, run: 64 * 2 ** 20 };

/** The events about a call: its result, and before that the begin of its subagent, if it has one. */
type CallEvents = {
  readonly events: RemoteEvent[];
  readonly fate: Deferred<RemoteEvent | null>;
  readonly result: Deferred<RemoteEvent | null>;
};

/** The events of one agent of a run, in order: for `next`, or for `onEvent` as they come. */
export class Lane {
  /** A run of one agent has one lane. */
  readonly root = this;
  readonly #onEvent: ((event: RemoteEvent) => void) | null;
  readonly #waiting: RemoteEvent[] = [];
  readonly #calls = new Map<string, CallEvents>();
  #ended: { readonly error: unknown } | null = null;
  #finished: RemoteEvent | null = null;
  #wake = createDeferred<void>();

  constructor(onEvent: ((event: RemoteEvent) => void) | null = null) {
    this.#onEvent = onEvent;
  }

  /** True when no event comes any more. */
  get hasEnded(): boolean {
    return this.#ended !== null;
  }

  get finished(): RemoteEvent | null {
    return this.#finished;
  }

  take(event: RemoteEvent): void {
    if (this.#ended !== null) return;
    const { type, toolCallId, parentToolCallId } = event;
    const id =
      type === 'TOOL_CALL_RESULT' ? toolCallId : type === 'SUBAGENT_STARTED' ? parentToolCallId : null;
    if (typeof id === 'string') addEvent(this.#call(id), event);
    if (type === 'RUN_FINISHED') {
      this.#finished ??= event;
      for (const { fate } of this.#calls.values()) fate.resolve(null);
    }
    if (this.#onEvent !== null) return this.#onEvent(event);
    this.#waiting.push(event);
    this.#wake.resolve();
  }

  /** Ends the lane behind the events that it has. `error` is null for a stream that ended. */
  end(error: unknown): void {
    this.#ended ??= { error };
    for (const call of this.#calls.values()) settle(call);
    this.#wake.resolve();
  }

  async next(): Promise<RemoteEvent | null> {
    for (;;) {
      const event = this.#waiting.shift();
      if (event !== undefined) return event;
      if (this.#ended !== null) {
        if (this.#ended.error !== null) throw this.#ended.error;
        return null;
      }
      await this.#wake.promise;
      this.#wake = createDeferred();
    }
  }

  giveBack(event: RemoteEvent): void {
    this.#waiting.unshift(event);
  }

  /** Begins with what an earlier lane has told, except its end. */
  inherit(earlier: Lane): void {
    for (const [id, { events }] of earlier.#calls)
      for (const event of events) addEvent(this.#call(id), event);
    const rest = earlier.#waiting.splice(0);
    this.#waiting.unshift(...rest.filter(({ type }) => type !== 'RUN_FINISHED' && type !== 'RUN_ERROR'));
  }

  resultOf(toolCallId: string): Promise<RemoteEvent | null> {
    return this.#call(toolCallId).result.promise;
  }

  fateOf(toolCallId: string): Promise<RemoteEvent | null> {
    return this.#call(toolCallId).fate.promise;
  }

  #call(id: string): CallEvents {
    const known = this.#calls.get(id) ?? { events: [], fate: createDeferred(), result: createDeferred() };
    this.#calls.set(id, known);
    if (this.#finished !== null) known.fate.resolve(null);
    if (this.#ended !== null) settle(known);
    return known;
  }
}

function addEvent({ events, fate, result }: CallEvents, event: RemoteEvent): void {
  events.push(event);
  fate.resolve(event);
  if (event.type === 'TOOL_CALL_RESULT') result.resolve(event);
}

/** Ends what has not come. */
function settle({ fate, result }: CallEvents): void {
  fate.resolve(null);
  result.resolve(null);
}

/** A run whose events `read` gives to the lanes until it resolves. Its errors continue a sentence. */
export function openRun(
  lanes: Lanes,
  read: (take: (event: RemoteEvent) => void, signal: AbortSignal) => Promise<void>,
): RemoteRun {
  const controller = new AbortController();
  const end = (error: unknown): void => lanes.end(error);
  read((event) => lanes.take(event), controller.signal).then(() => end(null), end);
  return readingOf(lanes.root, () => controller.abort());
}

/** The lanes of a run, which take its events. */
export type Lanes = Pick<Lane, 'take' | 'end'> & { readonly root: Lane };

/** The run of one agent, as its lane tells it. */
export function readingOf(lane: Lane, close: () => void): RemoteRun {
  return {
    close,
    next: () => lane.next(),
    giveBack: (event) => lane.giveBack(event),
    resultOf: (toolCallId) => lane.resultOf(toolCallId),
    fateOf: (toolCallId) => lane.fateOf(toolCallId),
    finishEvent: () => lane.finished,
  };
}

/** A request to a backend, and what is done with the events of its answer. */
export type BackendRequest = {
  readonly url: string;
  readonly body: unknown;
  readonly signal: AbortSignal;
  /** Takes an event; true ends the reading. */
  readonly onEvent: (event: { readonly [field: string]: unknown }) => boolean | void;
  /** Called for what is no event. */
  readonly onSkipped: (what: string) => void;
};

/** Makes a request and reads the server-sent events of its answer. @returns true when `onEvent` ended the reading. */
export async function streamEvents(
  options: RemoteOptions,
  { url, body, signal, onEvent, onSkipped }: BackendRequest,
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
    const response = await requestBackend(options, {
      url,
      body,
      accept: 'text/event-stream',
      signal: linked.signal,
    });
    if (response.body === undefined) throw withoutStreams();
    if (response.body === null) throw statusError(response.status);
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
export async function requestBackend(
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
  if (!response.ok) throw statusError(response.status);
  return response;
}

function statusError(status: number): Error {
  return new Error(`it answered with status ${status}`);
}

function withoutStreams(): Error {
  return new Error(
    'this `fetch` gives no `response.body` to read as it comes; give one that does, in React Native that of `expo/fetch`: `aguiAgent({ url, fetch })`',
  );
}

function tooLong(): Error {
  return new Error(`it has sent an event of more than ${most.event} characters`);
}
