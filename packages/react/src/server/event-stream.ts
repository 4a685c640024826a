import { AgentError, ErrorInfo, isAgentError, type JsonValue } from '@vitrine/core';
import { linkFromJSON, positionToText } from '@vitrine/persist/internal/link/link-json';
import { type LinkMessage } from '@vitrine/persist/internal/link/protocol';
import type { LinkConnection } from '@vitrine/persist';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { joinStreamGroup, type StreamGroup, type StreamPlace } from './stream-group.ts';

type Hello = Extract<LinkMessage, { readonly type: 'hello' }>;

/** Pauses before a connection is made again, in milliseconds; each is twice the one before. */
export const pauses = { first: 250, longest: 10_000 };
/** The least time between two connections of a follower that has lost its place, in milliseconds. */
const placeMs = 1000;
/** The time for the stream to bring an answer in its place, before the one of a request is taken, in milliseconds. */
const orderMs = 250;

export type EventStreamOptions = {
  /** The name of the session for all tabs of this browser. */
  readonly name: string;
  readonly ask: (after: string, signal: AbortSignal) => Promise<Response>;
  readonly onMessage: (message: LinkMessage) => void;
  /** Called with the person who is signed in, when the connection is made. */
  readonly onPerson: (person: string) => void;
  readonly onConnection: (connection: Exclude<LinkConnection, 'offline'>) => void;
};

/**
 * The events of a session, over as many connections as needed, or from another tab that has the stream.
 *
 * Of the tabs of a browser that follow the same session for the same person one holds the stream and gives its events to
 * the others. Each of those makes a connection of its own only to learn its person and to catch up, and closes it when it
 * has all that the holder has. The follower puts messages in order, takes each once and tells what is missing.
 */
export class EventStream {
  readonly #options: EventStreamOptions;
  /** Open while this tab has the present state. */
  readonly #current = createGate();
  #connection = new AbortController();
  #at: Hello | null = null;
  #failures = 0;
  #openedAt = -Infinity;
  #term = 0;
  #wake = (): void => undefined;
  #isOpen = false;
  #isDismissed = false;
  #isRefused = false;
  #isOver = false;
  /** True while this tab has no connection because another tab gives it the events, or because nobody sees it. */
  #isResting = false;
  #isHidden = false;
  #person: string | null = null;
  /** The tabs that share a stream with this one; null before the person is known, and where tabs cannot share. */
  #group: StreamGroup | null = null;

  constructor(options: EventStreamOptions) {
    this.#options = options;
  }

  get term(): number {
    return this.#term;
  }

  again(): void {
    this.#failures = 0;
    this.#wake();
  }

  /** Ends the connection, which a browser that goes offline leaves open. */
  cut(): void {
    this.#connection.abort();
    if (this.#isResting) this.#resume();
  }

  /** Takes the position of the follower: the first begins to follow, and one that has lost its place connects again. */
  hello(hello: Hello): void {
    const isFirst = this.#at === null;
    this.#at = hello;
    if (isFirst) void this.#follow();
    // Events come in order, so a follower that misses one has lost its place.
    if (hello.seen !== null || !this.#isRested()) return;
    if (this.#isResting) return this.#resume();
    if (!this.#isOpen) return;
    this.#connection.abort();
    this.again();
  }

  /** Resolves when the connection has brought the present state, and a moment after. */
  async caughtUp(): Promise<void> {
    // The tab with the stream may be frozen.
    if (this.#isResting) this.#resume();
    await this.#current.whenOpen();
    await new Promise<void>((resolve) => pause(orderMs, resolve));
  }

  /** Lets go of the stream of a page that nobody sees, or takes it up again. */
  setSeen(isSeen: boolean): void {
    if (isSeen !== this.#isHidden) return;
    this.#isHidden = !isSeen;
    if (isSeen) this.#group?.queue();
    else this.#group?.pass();
    if (isSeen) this.#resume();
    else this.#rest();
  }

  /** Connects for itself: the server takes this page for another person than the tabs that share a stream. */
  part(): void {
    this.#group?.leave();
    [this.#group, this.#person] = [null, null];
    if (this.#isResting) this.#resume();
  }

  end(): void {
    this.#isOver = true;
    this.#group?.leave();
    this.#connection.abort();
    this.#wake();
  }

  async #follow(): Promise<void> {
    for (let position = this.#at; position !== null && !this.#isOver; position = this.#at) {
      await this.#listen(position).catch((thrown: unknown) => {
        // A server that refuses says why; one that cannot be reached, or is busy, may be back soon.
        this.#isRefused = isRefusal(thrown);
        if (!this.#isOver && this.#isRefused)
          this.#options.onMessage({ type: 'problem', error: ErrorInfo.of(thrown) });
      });
      this.#isOpen = false;
      if (!this.#isOver && !this.#isResting) await this.#backOff();
      while (!this.#isOver && this.#isResting) await new Promise<void>((resolve) => (this.#wake = resolve));
      // The follower tells its position.
      if (!this.#isOver) this.#options.onMessage({ type: 'lost' });
    }
  }

  async #listen(position: Hello): Promise<void> {
    this.#connection = new AbortController();
    this.#current.close();
    const response = await this.#options.ask(positionToText(position), this.#connection.signal);
    this.#openedAt = performance.now();
    [this.#isOpen, this.#isDismissed, this.#isRefused] = [true, false, false];
    this.#options.onConnection('open');
    await readEvents(response, {
      person: (name) => this.#join(name),
      bye: () => (this.#isDismissed = true),
      message: (data) => this.#receiveOwn(data),
    });
  }

  async #backOff(): Promise<void> {
    this.#current.close();
    this.#options.onConnection(this.#isRefused ? 'refused' : 'reconnecting');
    const ms = Math.min(pauses.longest, pauses.first * 2 ** this.#failures++) * (0.5 + Math.random() / 2);
    if (!this.#isDismissed) await new Promise<void>((resolve) => pause(ms, (this.#wake = resolve)));
    this.#isDismissed = false;
  }

  #rest(): void {
    this.#isResting = true;
    this.#connection.abort();
  }

  #resume(): void {
    if (this.#isHidden) return;
    this.#isResting = false;
    this.#current.close();
    this.again();
  }

  /** True a while after the last connection, so that a tab which lacks something does not connect without end. */
  #isRested(): boolean {
    return performance.now() - this.#openedAt >= placeMs;
  }

  #join(person: string): void {
    this.#options.onPerson(person);
    if (person === this.#person) return;
    this.#group?.leave();
    this.#person = person;
    this.#group = joinStreamGroup(`${this.#options.name} ${person}`, {
      onTurn: () => (this.#isResting ? this.#resume() : this.#announcePlace()),
      onEvent: (data) => void this.#receive(data),
      onAsked: () => this.#announcePlace(),
      onPlace: (place) => this.#comparePlaces(place),
      onSilence: () => this.#takeOver(),
    });
  }

  /** @returns true for a message that shows the present state */
  #receive(data: string): boolean {
    const message = linkFromJSON(JSON.parse(data) as JsonValue);
    if (message === null || this.#isOver) return false;
    if ('term' in message) this.#term = message.term;
    this.#options.onMessage(message);
    if (message.type === 'problem') return false;
    this.#failures = 0;
    return message.type !== 'answer';
  }

  #receiveOwn(data: string): void {
    const isState = this.#receive(data);
    if (this.#isHolder()) this.#group?.give(data);
    if (!isState || this.#current.isOpen()) return;
    this.#current.open();
    if (this.#isHolder()) this.#announcePlace();
    else this.#group?.ask();
  }

  #isHolder(): boolean {
    return this.#group?.isHolder() === true;
  }

  #isCurrent(): boolean {
    return this.#isOpen && this.#current.isOpen();
  }

  /** The place of the last message that the follower has taken; null when it lacks one. */
  #placeNow(): StreamPlace | null {
    // The follower tells its position at once.
    this.#options.onMessage({ type: 'lost' });
    return this.#at?.seen ?? null;
  }

  #announcePlace(): void {
    if (this.#isHolder() && this.#isCurrent()) this.#group?.announce(this.#placeNow());
  }

  #comparePlaces(place: StreamPlace | null): void {
    if (place === null) return;
    const isBehind = isLater(place, this.#placeNow());
    if (!isBehind && this.#isCurrent()) this.#rest();
    else if (isBehind && this.#isResting && this.#isRested()) this.#resume();
  }

  /** Connects when the tab with the stream is silent, and takes its place once this tab has the present state. */
  #takeOver(): void {
    if (this.#isResting) this.#resume();
    else if (this.#isCurrent() && !this.#isHidden) this.#group?.steal();
  }
}

/** True for a place behind another one, and behind none at all. */
function isLater(place: StreamPlace, other: StreamPlace | null): boolean {
  if (other === null || place.term !== other.term) return place.term > (other?.term ?? -1);
  return place.n > other.n;
}

/** The functions that take the data of events, by their names; `bye` says that the server stops. */
type EventHandlers = Readonly<Record<'person' | 'bye' | 'message', (data: string) => void>>;

async function readEvents({ body }: Response, handlers: EventHandlers): Promise<void> {
  // The `fetch` of React Native gives answers as a whole.
  if (body === undefined)
    throw new AgentError(
      'env-invalid',
      'This `fetch` gives no `response.body` to read as it comes. Give one that does, in React Native that of `expo/fetch`: `agentServer({ url, fetch })`.',
      { data: { retryable: false } },
    );
  const texts = body?.pipeThrough(new TextDecoderStream());
  const reader = texts?.pipeThrough(new EventSourceParserStream()).getReader();
  for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
    const { event, data } = read.value;
    handlers[event === 'person' || event === 'bye' ? event : 'message'](data);
  }
}

function createGate() {
  let isOpen = false;
  const waiting: (() => void)[] = [];
  return {
    open(): void {
      isOpen = true;
      for (const release of waiting.splice(0)) release();
    },
    close: (): void => void (isOpen = false),
    isOpen: () => isOpen,
    whenOpen: async (): Promise<void> =>
      isOpen ? undefined : new Promise<void>((resolve) => waiting.push(resolve)),
  };
}

/** True for a refusal that a later attempt would get too, until somebody signs in or changes the rights. */
function isRefusal(thrown: unknown): boolean {
  if (!isAgentError(thrown)) return false;
  const { status, retryable } = thrown.data;
  return retryable === false || status === 401;
}

/** Waits without keeping a Node process alive. */
export function pause(ms: number, resolve: () => void): void {
  const timer: unknown = setTimeout(resolve, ms);
  (timer as { unref?: () => void }).unref?.();
}
