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

/** A stream and its connection at the moment. */
type OwnStream = EventStreamOptions & {
  /** Open while this tab has the present state. */
  readonly current: Gate;
  connection: AbortController;
  at: Hello | null;
  failures: number;
  openedAt: number;
  term: number;
  wake: () => void;
  isOpen: boolean;
  isDismissed: boolean;
  isRefused: boolean;
  isOver: boolean;
  /** True while this tab has no connection because another tab gives it the events, or because nobody sees it. */
  isResting: boolean;
  isHidden: boolean;
  person: string | null;
  /** The tabs that share a stream with this one; null before the person is known, and where tabs cannot share. */
  group: StreamGroup | null;
};

/** The part of a stream that is the same for all at their beginning. */
const unconnected = {
  at: null,
  failures: 0,
  openedAt: -Infinity,
  term: 0,
  wake: () => undefined,
  isOpen: false,
  isDismissed: false,
  isRefused: false,
  isOver: false,
  isResting: false,
  isHidden: false,
  person: null,
  group: null,
};

/**
 * Follows the events of a session. Of the tabs of a browser that follow the same session for the same person one holds
 * the stream and gives its events to the others. Each of those makes a connection of its own only to learn its person and
 * to catch up, and closes it when it has all that the holder has. The follower puts messages in order, takes each once
 * and tells what is missing.
 */
export function openEventStream(options: EventStreamOptions): EventStream {
  const current = createGate();
  const stream: OwnStream = { ...unconnected, ...options, current, connection: new AbortController() };
  return {
    term: () => stream.term,
    again: () => again(stream),
    cut() {
      stream.connection.abort();
      if (stream.isResting) resume(stream);
    },
    hello: (hello) => takePosition(stream, hello),
    async caughtUp() {
      // The tab with the stream may be frozen.
      if (stream.isResting) resume(stream);
      await current.whenOpen();
      await new Promise<void>((resolve) => pause(orderMs, resolve));
    },
    setSeen(isSeen) {
      if (isSeen !== stream.isHidden) return;
      stream.isHidden = !isSeen;
      if (isSeen) stream.group?.queue();
      else stream.group?.pass();
      if (isSeen) resume(stream);
      else rest(stream);
    },
    part() {
      stream.group?.leave();
      [stream.group, stream.person] = [null, null];
      if (stream.isResting) resume(stream);
    },
    end() {
      stream.isOver = true;
      stream.group?.leave();
      stream.connection.abort();
      stream.wake();
    },
  };
}

function takePosition(stream: OwnStream, hello: Hello): void {
  const isFirst = stream.at === null;
  stream.at = hello;
  if (isFirst) void follow(stream);
  // Events come in order, so a follower that misses one has lost its place.
  if (hello.seen !== null || !isRested(stream)) return;
  if (stream.isResting) return resume(stream);
  if (!stream.isOpen) return;
  stream.connection.abort();
  again(stream);
}

async function follow(stream: OwnStream): Promise<void> {
  for (let position = stream.at; position !== null && !stream.isOver; position = stream.at) {
    await listen(stream, position).catch((thrown: unknown) => {
      // A server that refuses says why; one that cannot be reached, or is busy, may be back soon.
      stream.isRefused = isRefusal(thrown);
      if (!stream.isOver && stream.isRefused)
        stream.onMessage({ type: 'problem', error: ErrorInfo.of(thrown) });
    });
    stream.isOpen = false;
    if (!stream.isOver && !stream.isResting) await backOff(stream);
    while (!stream.isOver && stream.isResting) await new Promise<void>((resolve) => (stream.wake = resolve));
    // The follower tells its position.
    if (!stream.isOver) stream.onMessage({ type: 'lost' });
  }
}

/** Reads the events of one connection. Resolves when it ends. */
async function listen(stream: OwnStream, position: Hello): Promise<void> {
  stream.connection = new AbortController();
  stream.current.close();
  const response = await stream.ask(positionToText(position), stream.connection.signal);
  stream.openedAt = performance.now();
  [stream.isOpen, stream.isDismissed, stream.isRefused] = [true, false, false];
  stream.onConnection('open');
  await readEvents(response, {
    person: (name) => join(stream, name),
    bye: () => (stream.isDismissed = true),
    message: (data) => receiveOwn(stream, data),
  });
}

/** Tells that a connection ended, and waits before the next one. */
async function backOff(stream: OwnStream): Promise<void> {
  stream.current.close();
  stream.onConnection(stream.isRefused ? 'refused' : 'reconnecting');
  const ms = Math.min(pauses.longest, pauses.first * 2 ** stream.failures++) * (0.5 + Math.random() / 2);
  if (!stream.isDismissed) await new Promise<void>((resolve) => pause(ms, (stream.wake = resolve)));
  stream.isDismissed = false;
}

/** Connects at once. */
function again(stream: OwnStream): void {
  stream.failures = 0;
  stream.wake();
}

/** Lets go of the connection. */
function rest(stream: OwnStream): void {
  stream.isResting = true;
  stream.connection.abort();
}

function resume(stream: OwnStream): void {
  if (stream.isHidden) return;
  stream.isResting = false;
  stream.current.close();
  again(stream);
}

/** True a while after the last connection, so that a tab which lacks something does not connect without end. */
function isRested({ openedAt }: OwnStream): boolean {
  return performance.now() - openedAt >= placeMs;
}

/** Joins the tabs of the person whom the server has told. */
function join(stream: OwnStream, person: string): void {
  stream.onPerson(person);
  if (person === stream.person) return;
  stream.group?.leave();
  stream.person = person;
  stream.group = joinStreamGroup(`${stream.name} ${person}`, {
    onTurn: () => (stream.isResting ? resume(stream) : announcePlace(stream)),
    onEvent: (data) => void receive(stream, data),
    onAsked: () => announcePlace(stream),
    onPlace: (place) => comparePlaces(stream, place),
    onSilence: () => takeOver(stream),
  });
}

/** @returns true for a message that shows the present state */
function receive(stream: OwnStream, data: string): boolean {
  const message = linkFromJSON(JSON.parse(data) as JsonValue);
  if (message === null || stream.isOver) return false;
  if ('term' in message) stream.term = message.term;
  stream.onMessage(message);
  if (message.type === 'problem') return false;
  stream.failures = 0;
  return message.type !== 'answer';
}

function receiveOwn(stream: OwnStream, data: string): void {
  const isState = receive(stream, data);
  if (isHolder(stream)) stream.group?.give(data);
  if (!isState || stream.current.isOpen()) return;
  stream.current.open();
  if (isHolder(stream)) announcePlace(stream);
  else stream.group?.ask();
}

const isHolder = ({ group }: OwnStream): boolean => group?.isHolder() === true;
const isCurrent = ({ isOpen, current }: OwnStream): boolean => isOpen && current.isOpen();

/** The place of the last message that the follower has taken; null when it lacks one. */
function placeNow(stream: OwnStream): StreamPlace | null {
  // The follower tells its position at once.
  stream.onMessage({ type: 'lost' });
  return stream.at?.seen ?? null;
}

function announcePlace(stream: OwnStream): void {
  if (isHolder(stream) && isCurrent(stream)) stream.group?.announce(placeNow(stream));
}

/** Compares this tab with the one that has the stream. */
function comparePlaces(stream: OwnStream, place: StreamPlace | null): void {
  if (place === null) return;
  const isBehind = isLater(place, placeNow(stream));
  if (!isBehind && isCurrent(stream)) rest(stream);
  else if (isBehind && stream.isResting && isRested(stream)) resume(stream);
}

/** Connects when the tab with the stream is silent, and takes its place once this tab has the present state. */
function takeOver(stream: OwnStream): void {
  if (stream.isResting) resume(stream);
  else if (isCurrent(stream) && !stream.isHidden) stream.group?.steal();
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
  readonly whenOpen: () => Promise<void>;
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
    whenOpen: async () => (isOpen ? undefined : new Promise<void>((resolve) => waiting.push(resolve))),
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
