import { AgentError, ErrorInfo, isAgentError, type JsonValue } from '@vitrine/core';
import { linkFromJSON, type LinkMessage, positionToText } from '@vitrine/core/link';
import type { LinkConnection } from '@vitrine/core/stores';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { joinStreamGroup, type StreamGroup, type StreamPlace } from './stream-group.ts';

type Hello = Extract<LinkMessage, { readonly type: 'hello' }>;

/** Pauses before a connection is made again, in milliseconds; each is twice the one before. */
export const pauses = { first: 250, longest: 10_000 };
/** The least time between two connections of a follower that has lost its place, in milliseconds. */
const placeMs = 1000;
/** The time for the stream to bring an answer in its place, before the one of a request is taken, in milliseconds. */
const orderMs = 250;

/** The events of a session, over as many connections as needed, or from another tab that has the stream. */
export type EventStream = {
  /** The term of the last message. */
  readonly term: () => number;
  /** Resolves when the connection has brought the present state, and a moment after. */
  readonly caughtUp: () => Promise<void>;
  /** Takes the position of the follower: the first begins to follow, and one that has lost its place connects again. */
  readonly hello: (hello: Hello) => void;
  /** Connects at once. */
  readonly again: () => void;
  /** Ends the connection, which a browser that goes offline leaves open. */
  readonly cut: () => void;
  /** Lets go of the stream of a page that nobody sees, or takes it up again. */
  readonly setSeen: (isSeen: boolean) => void;
  /** Connects for itself: the server takes this page for another person than the tabs that share a stream. */
  readonly part: () => void;
  readonly end: () => void;
};

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
 * Follows the events of a session. Of the tabs of a browser that follow the same session for the same person one holds
 * the stream and gives its events to the others. Each of those makes a connection of its own only to learn its person and
 * to catch up, and closes it when it has all that the holder has. The follower puts messages in order, takes each once
 * and tells what is missing.
 */
export function openEventStream(options: EventStreamOptions): EventStream {
  const { ask, onMessage, onConnection } = options;
  let connection = new AbortController();
  let at: Hello | null = null;
  let [failures, openedAt, term] = [0, -Infinity, 0];
  let wake = (): void => undefined;
  let [isOpen, isDismissed, isRefused, isOver] = [false, false, false, false];
  /** True while this tab has no connection because another tab gives it the events, or because nobody sees it. */
  let [isResting, isHidden] = [false, false];
  let person: string | null = null;
  let group: StreamGroup | null = null;
  const current = createGate();
  const isCurrent = (): boolean => isOpen && current.isOpen();
  const hasStream = (): boolean => group?.isHolder() === true;

  /** The place of the last message that the follower has taken; null when it lacks one. */
  function placeNow(): StreamPlace | null {
    // The follower tells its position at once.
    onMessage({ type: 'lost' });
    return at?.seen ?? null;
  }

  function tellPlace(): void {
    if (hasStream() && isCurrent()) group?.tell(placeNow());
  }

  function rest(): void {
    isResting = true;
    connection.abort();
  }

  function resume(): void {
    if (isHidden) return;
    isResting = false;
    again();
  }

  /** Compares this tab with the one that has the stream. */
  function comparePlaces(place: StreamPlace | null): void {
    if (place === null) return;
    const isBehind = isLater(place, placeNow());
    if (!isBehind && isCurrent()) rest();
    else if (isBehind && isResting && isRested()) resume();
  }

  /** True a while after the last connection, so that a tab which lacks something does not connect without end. */
  const isRested = (): boolean => performance.now() - openedAt >= placeMs;

  function onSilence(): void {
    if (isResting) resume();
    else if (isCurrent() && !isHidden) group?.steal();
  }

  function join(next: string): void {
    options.onPerson(next);
    if (next === person) return;
    group?.leave();
    person = next;
    group = joinStreamGroup(`${options.name} ${next}`, {
      onTurn: () => (isResting ? resume() : tellPlace()),
      onEvent: (data) => void hear(data),
      onAsked: tellPlace,
      onPlace: comparePlaces,
      onSilence,
    });
  }

  /** @returns true for a message that shows the present state */
  function hear(data: string): boolean {
    const message = linkFromJSON(JSON.parse(data) as JsonValue);
    if (message === null || isOver) return false;
    if ('term' in message) ({ term } = message);
    onMessage(message);
    if (message.type === 'problem') return false;
    failures = 0;
    return message.type !== 'answer';
  }

  function hearOwn(data: string): void {
    const isState = hear(data);
    if (hasStream()) group?.give(data);
    if (!isState || current.isOpen()) return;
    current.open();
    if (hasStream()) tellPlace();
    else group?.ask();
  }

  /** Reads the events of one connection. Resolves when it ends. */
  async function listen(position: Hello): Promise<void> {
    connection = new AbortController();
    current.close();
    const response = await ask(positionToText(position), connection.signal);
    openedAt = performance.now();
    [isOpen, isDismissed, isRefused] = [true, false, false];
    onConnection('open');
    await readEvents(response, { person: join, bye: () => (isDismissed = true), message: hearOwn });
  }

  /** Tells that a connection ended, and waits before the next one. */
  async function backOff(): Promise<void> {
    onConnection(isRefused ? 'refused' : 'reconnecting');
    const ms = Math.min(pauses.longest, pauses.first * 2 ** failures++) * (0.5 + Math.random() / 2);
    if (!isDismissed) await new Promise<void>((resolve) => pause(ms, (wake = resolve)));
    isDismissed = false;
  }

  async function follow(): Promise<void> {
    for (let position = at; position !== null && !isOver; position = at) {
      await listen(position).catch((thrown: unknown) => {
        // A server that refuses says why; one that cannot be reached, or is busy, may be back soon.
        isRefused = isRefusal(thrown);
        if (!isOver && isRefused) onMessage({ type: 'problem', error: ErrorInfo.of(thrown) });
      });
      isOpen = false;
      if (!isOver && !isResting) {
        current.close();
        await backOff();
      }
      while (!isOver && isResting) await new Promise<void>((resolve) => (wake = resolve));
      // The follower tells its position.
      if (!isOver) onMessage({ type: 'lost' });
    }
  }

  function again(): void {
    failures = 0;
    wake();
  }

  return {
    term: () => term,
    again,
    cut() {
      connection.abort();
      if (isResting) resume();
    },
    hello(hello) {
      const isFirst = at === null;
      at = hello;
      if (isFirst) void follow();
      // Events come in order, so a follower that misses one has lost its place.
      if (hello.seen !== null || !isRested()) return;
      if (isResting) return resume();
      if (!isOpen) return;
      connection.abort();
      again();
    },
    async caughtUp() {
      await current.opened();
      await new Promise<void>((resolve) => pause(orderMs, resolve));
    },
    setSeen(isSeen) {
      if (isSeen !== isHidden) return;
      isHidden = !isSeen;
      if (isHidden) group?.pass();
      else group?.queue();
      if (isHidden) rest();
      else resume();
    },
    part() {
      group?.leave();
      [group, person] = [null, null];
      if (isResting) resume();
    },
    end() {
      isOver = true;
      group?.leave();
      connection.abort();
      wake();
    },
  };
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

type Gate = {
  readonly open: () => void;
  readonly close: () => void;
  readonly isOpen: () => boolean;
  readonly opened: () => Promise<void>;
};

/** A gate that is closed at first. */
function createGate(): Gate {
  let isOpen = false;
  const waiting: (() => void)[] = [];
  return {
    open() {
      isOpen = true;
      for (const release of waiting.splice(0)) release();
    },
    close: () => void (isOpen = false),
    isOpen: () => isOpen,
    opened: async () => (isOpen ? undefined : new Promise<void>((resolve) => waiting.push(resolve))),
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
