import { ErrorInfo, isAgentError, type JsonValue } from '@vitrine/core';
import { linkFromJSON, type LinkMessage, opened, sealed } from '@vitrine/core/link';
import type { LinkedId, SessionOutbox, TabChannel } from '@vitrine/core/stores';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { KnownAnswer, ServerRequests } from './server-requests.ts';

type ChannelOptions = {
  readonly requests: ServerRequests;
  readonly outbox: SessionOutbox;
  readonly session: LinkedId;
  readonly onMessage: (message: unknown) => void;
};

type Command = Extract<LinkMessage, { readonly type: 'command' }>['command'];

/** Pauses before a connection is made again, in milliseconds; each is twice the one before. */
const pauses = { first: 250, longest: 10_000 };
/** The pause in typing after which a draft is given, in milliseconds. */
const draftMs = 500;
/** The least time between two requests of a follower for the whole session, in milliseconds. */
const wholeMs = 1000;
/** The time for a connection to be made again before it counts as lost, in milliseconds. */
const lostMs = 500;
/** The time for the stream to bring an answer in its place, before the one of a request is taken, in milliseconds. */
const orderMs = 250;

/**
 * The channel of a follower to a server: messages come as server-sent events, commands go as requests with their ids, and
 * both are made again when the connection or the server is back.
 */
export function openServerChannel({ requests, outbox, session, onMessage }: ChannelOptions): TabChannel {
  const tell = (): void => session.onConnection?.(false);
  let lost: ReturnType<typeof setTimeout> | undefined;
  const stream = openStream(
    (last, signal) => requests.events(session, last, signal),
    (message) => {
      if (message.type === 'answer') commands.settle(message.commandId);
      onMessage(sealed(message));
    },
    (isOpen) => {
      clearTimeout(lost);
      if (!isOpen) return void (lost = setTimeout(tell, lostMs));
      commands.giveAll();
      session.onConnection?.(true);
    },
  );
  const commands = createGiver({ requests, outbox, session }, async (commandId, known) => {
    // What a command did is shown before its answer.
    const isRefused = known.turn === null && known.error !== null;
    if (!isRefused) await stream.caughtUp();
    const term = stream.term();
    onMessage(sealed({ type: 'answer', term, n: 0, commandId, ...known }));
    // A server that refuses a command may never show the session, which the answer would wait for.
    if (isRefused && term < 0.5) onMessage(sealed({ type: 'term', term: term + 1e-6 }));
  });
  const online = (): void => stream.again(false);
  const offline = (): void => {
    stream.cut();
    tell();
  };
  globalThis.addEventListener?.('online', online);
  globalThis.addEventListener?.('offline', offline);
  return {
    post(data) {
      const message = opened(data);
      // Events come in order, so a follower that misses one has lost its place.
      if (message?.type === 'hello' && message.seen === null) stream.lost();
      else if (message?.type === 'command') commands.take(message.command);
    },
    close() {
      globalThis.removeEventListener?.('online', online);
      globalThis.removeEventListener?.('offline', offline);
      clearTimeout(lost);
      commands.end();
      stream.end();
    },
  };
}

/** The events of a session, over as many connections as needed. */
type EventStream = {
  /** The term of the last message. */
  readonly term: () => number;
  /** Resolves when the connection has brought the present state, and a moment after. */
  readonly caughtUp: () => Promise<void>;
  /** Asks for the whole session, unless it was just sent. */
  readonly lost: () => void;
  /** Connects at once; `isWhole` forgets the position. */
  readonly again: (isWhole: boolean) => void;
  /** Ends the connection, which a browser that goes offline leaves open. */
  readonly cut: () => void;
  readonly end: () => void;
};

function openStream(
  ask: (last: string | null, signal: AbortSignal) => Promise<Response>,
  onMessage: (message: LinkMessage) => void,
  onConnection: (isOpen: boolean) => void,
): EventStream {
  const ending = new AbortController();
  let connection = new AbortController();
  let last: string | null = null;
  let [failures, openedAt, term] = [0, 0, 0];
  let wake = (): void => undefined;
  let waiting: (() => void)[] = [];
  let isCurrent = false;

  function hear(data: string, id: string | undefined): void {
    const message = linkFromJSON(JSON.parse(data) as JsonValue);
    if (message === null || ending.signal.aborted) return;
    if ('term' in message) ({ term } = message);
    onMessage(message);
    last = id ?? last;
    failures = 0;
    if (message.type === 'answer') return;
    isCurrent = true;
    for (const release of waiting.splice(0)) release();
  }

  /** Reads the events of one connection. Resolves when it ends. */
  async function listen(): Promise<void> {
    connection = new AbortController();
    const response = await ask(last, AbortSignal.any([connection.signal, ending.signal]));
    openedAt = performance.now();
    onConnection(true);
    const texts = response.body?.pipeThrough(new TextDecoderStream());
    const reader = texts?.pipeThrough(new EventSourceParserStream()).getReader();
    for (let read = await reader?.read(); read?.done === false; read = await reader?.read())
      hear(read.value.data, read.value.id);
  }

  async function follow(): Promise<void> {
    while (!ending.signal.aborted) {
      // A connection that is lost or refused is made again.
      await listen().catch(() => undefined);
      isCurrent = false;
      if (!ending.signal.aborted) onConnection(false);
      const ms = Math.min(pauses.longest, pauses.first * 2 ** failures++) * (0.5 + Math.random() / 2);
      if (!ending.signal.aborted) await new Promise<void>((resolve) => pause(ms, (wake = resolve)));
    }
  }

  function again(isWhole: boolean): void {
    if (isWhole) last = null;
    failures = 0;
    if (isWhole) connection.abort();
    wake();
  }

  void follow();
  return {
    term: () => term,
    again,
    cut: () => connection.abort(),
    async caughtUp() {
      if (!isCurrent) await new Promise<void>((resolve) => waiting.push(resolve));
      await new Promise<void>((resolve) => pause(orderMs, resolve));
    },
    lost() {
      if (last !== null && performance.now() - openedAt > wholeMs) again(true);
    },
    end() {
      ending.abort();
      waiting = [];
      wake();
    },
  };
}

/** Gives commands to a server until each is kept there. */
type Giver = {
  readonly take: (command: Command) => void;
  readonly settle: (commandId: string) => void;
  readonly giveAll: () => void;
  readonly end: () => void;
};

function createGiver(
  { requests, outbox, session }: Omit<ChannelOptions, 'onMessage'>,
  onAnswer: (commandId: string, answer: KnownAnswer) => Promise<void>,
): Giver {
  const unanswered = new Map<string, Command>();
  let last: Promise<unknown> = Promise.resolve();
  let draft: ReturnType<typeof setTimeout> | undefined;

  /** Resolves with the answer of a request, with null when there is none yet, and with `later` for a lost one. */
  async function request(command: Command): Promise<KnownAnswer | null | 'later'> {
    await last;
    return requests.give(session, command).catch((thrown: unknown) => {
      const isRefused = isAgentError(thrown) && thrown.data['retryable'] === false;
      return isRefused ? { turn: null, error: ErrorInfo.of(thrown) } : 'later';
    });
  }

  async function give(command: Command): Promise<void> {
    // One request at a time, because a quick one would overtake a slow one.
    const given = request(command);
    last = given;
    const known = await given;
    if (known === 'later') return;
    // The server keeps it, or never will, so the page need not.
    await outbox.drop(session.sessionId, [command.id]);
    if (known !== null) await onAnswer(command.id, known);
  }

  /** Gives the commands of a page before this one. */
  async function giveKept(): Promise<void> {
    for (const command of await outbox.take(session.sessionId))
      if (!unanswered.has(command.id)) await give(command as unknown as Command);
  }

  return {
    take(command) {
      if (command.type !== 'set-draft') {
        unanswered.set(command.id, command);
        return void give(command);
      }
      // The server keeps only what was typed last.
      clearTimeout(draft);
      draft = setTimeout(() => void give(command), draftMs);
      void onAnswer(command.id, { turn: null, error: null });
    },
    settle: (commandId) => void unanswered.delete(commandId),
    giveAll() {
      for (const command of unanswered.values()) void give(command);
      void giveKept();
    },
    end: () => clearTimeout(draft),
  };
}

function pause(ms: number, resolve: () => void): void {
  const timer: unknown = setTimeout(resolve, ms);
  // A follower that waits does not keep a Node process alive.
  (timer as { unref?: () => void }).unref?.();
}
