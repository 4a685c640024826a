import { AgentError, ErrorInfo, isAgentError, type JsonValue } from '@vitrine/core';
import { linkFromJSON, type LinkMessage, opened, positionToText, sealed } from '@vitrine/core/link';
import type { LinkConnection, LinkedId, TabChannel } from '@vitrine/core/stores';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { KeptOutbox } from './kept-outbox.ts';
import type { KnownAnswer, ServerRequests } from './server-requests.ts';

type ChannelOptions = {
  readonly requests: ServerRequests;
  readonly outbox: KeptOutbox;
  readonly session: LinkedId;
  readonly onMessage: (message: unknown) => void;
};

type Command = Extract<LinkMessage, { readonly type: 'command' }>['command'];
type Hello = Extract<LinkMessage, { readonly type: 'hello' }>;

/** Pauses before a connection is made again, in milliseconds; each is twice the one before. */
const pauses = { first: 250, longest: 10_000 };
/** The pause in typing after which a draft is given, in milliseconds. */
const draftMs = 500;
/** The least time between two connections of a follower that has lost its place, in milliseconds. */
const placeMs = 1000;
/** The time for a connection to be made again before it counts as lost, in milliseconds. */
const lostMs = 500;
/** The time for the stream to bring an answer in its place, before the one of a request is taken, in milliseconds. */
const orderMs = 250;

/**
 * The channel of a follower to a server: messages come as server-sent events, commands go as requests with their ids, and
 * both are made again when the connection or the server is back.
 */
export function openServerChannel({ requests, outbox, session, onMessage }: ChannelOptions): TabChannel {
  outbox.asks(session.sessionId);
  let told: LinkConnection = 'open';
  const tell = (connection: LinkConnection): void => session.onConnection?.((told = connection));
  let lost: ReturnType<typeof setTimeout> | undefined;
  const stream = openStream(
    (after, signal) => requests.events(session, after, signal),
    (message) => {
      if (message.type === 'answer') commands.settle(message.commandId);
      onMessage(sealed(message));
    },
    {
      onPerson(person) {
        outbox.setPerson(person, session.sessionId);
        commands.giveAll();
      },
      onConnection(connection) {
        clearTimeout(lost);
        if (connection !== 'open') outbox.asksInVain(session.sessionId);
        if (connection === 'open') tell('open');
        else lost = setTimeout(() => tell(isOffline() ? 'offline' : connection), lostMs);
      },
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
  const online = (): void => {
    if (told === 'offline') tell('reconnecting');
    stream.again();
  };
  const offline = (): void => {
    stream.cut();
    tell('offline');
  };
  globalThis.addEventListener?.('online', online);
  globalThis.addEventListener?.('offline', offline);
  return {
    post(data) {
      const message = opened(data);
      if (message?.type === 'hello') stream.hello(message);
      else if (message?.type === 'command') commands.take(message.command);
    },
    close() {
      globalThis.removeEventListener?.('online', online);
      globalThis.removeEventListener?.('offline', offline);
      clearTimeout(lost);
      commands.end();
      stream.end();
      outbox.asksInVain(session.sessionId);
    },
  };
}

/** The events of a session, over as many connections as needed. */
type EventStream = {
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
  readonly end: () => void;
};

type StreamEvents = {
  /** Called with the person who is signed in, when the connection is made. */
  readonly onPerson: (person: string) => void;
  readonly onConnection: (connection: Exclude<LinkConnection, 'offline'>) => void;
};

function openStream(
  ask: (after: string, signal: AbortSignal) => Promise<Response>,
  onMessage: (message: LinkMessage) => void,
  { onPerson, onConnection }: StreamEvents,
): EventStream {
  let connection = new AbortController();
  let at: Hello | null = null;
  let [failures, openedAt, term] = [0, -Infinity, 0];
  let wake = (): void => undefined;
  let [isOpen, isDismissed, isRefused, isOver] = [false, false, false, false];
  const current = createGate();

  function hear(data: string): void {
    const message = linkFromJSON(JSON.parse(data) as JsonValue);
    if (message === null || isOver) return;
    if ('term' in message) ({ term } = message);
    onMessage(message);
    if (message.type === 'problem') return;
    failures = 0;
    if (message.type !== 'answer') current.open();
  }

  /** Reads the events of one connection. Resolves when it ends. */
  async function listen(position: Hello): Promise<void> {
    connection = new AbortController();
    const response = await ask(positionToText(position), connection.signal);
    openedAt = performance.now();
    [isOpen, isDismissed, isRefused] = [true, false, false];
    onConnection('open');
    await readEvents(response, { person: onPerson, bye: () => (isDismissed = true), message: hear });
  }

  async function follow(): Promise<void> {
    for (let position = at; position !== null && !isOver; position = at) {
      await listen(position).catch((thrown: unknown) => {
        // A server that refuses says why; one that cannot be reached, or is busy, may be back soon.
        isRefused = isRefusal(thrown);
        if (!isOver && isRefused) onMessage({ type: 'problem', error: ErrorInfo.of(thrown) });
      });
      isOpen = false;
      current.close();
      if (!isOver) onConnection(isRefused ? 'refused' : 'reconnecting');
      const ms = Math.min(pauses.longest, pauses.first * 2 ** failures++) * (0.5 + Math.random() / 2);
      if (isOver) return;
      if (!isDismissed) await new Promise<void>((resolve) => pause(ms, (wake = resolve)));
      isDismissed = false;
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
    cut: () => connection.abort(),
    hello(hello) {
      const isFirst = at === null;
      at = hello;
      if (isFirst) void follow();
      // Events come in order, so a follower that misses one has lost its place.
      if (!isOpen || hello.seen !== null || performance.now() - openedAt < placeMs) return;
      connection.abort();
      again();
    },
    async caughtUp() {
      await current.opened();
      await new Promise<void>((resolve) => pause(orderMs, resolve));
    },
    end() {
      isOver = true;
      connection.abort();
      wake();
    },
  };
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

/** A gate that is closed at first. */
function createGate(): { open: () => void; close: () => void; opened: () => Promise<void> } {
  let isOpen = false;
  const waiting: (() => void)[] = [];
  return {
    open() {
      isOpen = true;
      for (const release of waiting.splice(0)) release();
    },
    close: () => void (isOpen = false),
    opened: async () => (isOpen ? undefined : new Promise<void>((resolve) => waiting.push(resolve))),
  };
}

/** A command, and the person who gave it; null when that was not known. */
type Given = { readonly command: Command; readonly person: string | null };

/** Gives commands to a server until each is kept there, in their order. */
type Giver = {
  readonly take: (command: Command) => void;
  readonly settle: (commandId: string) => void;
  /** Gives at once what waits, what has no answer yet, and what an earlier page kept. */
  readonly giveAll: () => void;
  readonly end: () => void;
};

function createGiver(
  { requests, outbox, session }: Omit<ChannelOptions, 'onMessage'>,
  onAnswer: (commandId: string, answer: KnownAnswer) => Promise<void>,
): Giver {
  /** The commands that the server has not acknowledged, with the person who gave them. */
  const waiting = new Map<string, Given>();
  const unanswered = new Map<string, Given>();
  /** The commands of a person who is not signed in any more. They stay in the outbox for the return of that person. */
  const foreign = new Map<string, Given>();
  let [isGiving, isEnded] = [false, false];
  let wake = (): void => undefined;
  let draft: ReturnType<typeof setTimeout> | undefined;

  /**
   * Resolves with the answer of a request, with null when there is none yet, with `later` for a lost one, and with
   * `foreign` for one of another person than the one who is signed in.
   */
  function request({ command, person }: Given): Promise<KnownAnswer | null | 'later' | 'foreign'> {
    return requests.give(session, command, person).catch((thrown: unknown) => {
      if (isAgentError(thrown, 'command-of-another')) return 'foreign';
      const isRefused = isAgentError(thrown) && thrown.data['retryable'] === false;
      return isRefused ? { turn: null, error: ErrorInfo.of(thrown) } : 'later';
    });
  }

  async function give(key: string, given: Given): Promise<boolean> {
    const { command } = given;
    const known = await request(given);
    if (known === 'later') return false;
    // A later draft has taken its place.
    if (waiting.get(key) === given) waiting.delete(key);
    if (known === 'foreign') return foreign.set(key, given) !== undefined;
    // A refusal is told before the page forgets the command, which may be closed between the two.
    if (known !== null) void onAnswer(command.id, known);
    else if (command.type !== 'set-draft') unanswered.set(command.id, given);
    await outbox.drop(session.sessionId, [command.id]);
    return true;
  }

  /** Gives one command after the other, because a quick request would overtake a slow one. */
  async function giveWaiting(): Promise<void> {
    if (isGiving) return wake();
    isGiving = true;
    let failures = 0;
    // A page that leaves gives what it can, and tries nothing twice.
    for (let [next] = waiting; next !== undefined && !(isEnded && failures > 0); [next] = waiting) {
      failures = (await give(...next)) ? 0 : failures + 1;
      const ms = Math.min(pauses.longest, pauses.first * 2 ** failures);
      if (failures > 0 && !isEnded) await new Promise<void>((resolve) => pause(ms, (wake = resolve)));
    }
    isGiving = false;
  }

  function add(key: string, command: Command): void {
    const giver = outbox.giverOf(session.sessionId, command.id);
    const person = (foreign.get(key) ?? unanswered.get(key))?.person ?? giver;
    if (foreign.has(key) && person !== outbox.person()) return;
    foreign.delete(key);
    unanswered.delete(key);
    if (!waiting.has(key) || command.type === 'set-draft') waiting.set(key, { command, person });
    void giveWaiting();
  }

  return {
    take(command) {
      if (command.type !== 'set-draft') return add(command.id, command);
      // The server keeps only what was typed last.
      clearTimeout(draft);
      draft = setTimeout(() => add('draft', command), draftMs);
      void onAnswer(command.id, { turn: null, error: null });
    },
    settle: (commandId) => void unanswered.delete(commandId),
    giveAll() {
      for (const [key, { command }] of [...unanswered, ...foreign]) add(key, command);
      void giveWaiting();
      void outbox.take(session.sessionId).then((kept) => {
        for (const command of kept)
          if (!unanswered.has(command.id)) add(command.id, command as unknown as Command);
      });
    },
    end() {
      isEnded = true;
      clearTimeout(draft);
      wake();
    },
  };
}

/** True where the browser knows that it has no network. */
function isOffline(): boolean {
  return globalThis.navigator?.onLine === false;
}

/** True for a refusal that a later attempt would get too, until somebody signs in or changes the rights. */
function isRefusal(thrown: unknown): boolean {
  if (!isAgentError(thrown)) return false;
  const { status, retryable } = thrown.data;
  return retryable === false || status === 401;
}

function pause(ms: number, resolve: () => void): void {
  const timer: unknown = setTimeout(resolve, ms);
  // A follower that waits does not keep a Node process alive.
  (timer as { unref?: () => void }).unref?.();
}
