import { ErrorInfo, isAgentError } from '@vitrine/core';
import { type LinkMessage, unseal, seal } from '@vitrine/persist/internal/link/protocol';
import type { LinkConnection, LinkedId, TabChannel } from '@vitrine/persist';
import { EventStream, pause, pauses } from './event-stream.ts';
import type { KeptOutbox } from './kept-outbox.ts';
import type { KnownAnswer, ServerRequests } from './server-requests.ts';
import { watchAttention } from './stream-group.ts';

type ChannelOptions = {
  readonly requests: ServerRequests;
  readonly outbox: KeptOutbox;
  readonly session: LinkedId;
  readonly onMessage: (message: unknown) => void;
};

type Command = Extract<LinkMessage, { readonly type: 'command' }>['command'];

/** The pause in typing after which a draft is given, in milliseconds. */
const draftMs = 500;
/** The time for a connection to be made again before it counts as lost, in milliseconds. */
const lostMs = 500;
/** The time for a command to be taken before it counts as unsent, in milliseconds. */
const stuckMs = 5000;
/**
 * The channel of a follower to a server: messages come as server-sent events, commands go as requests with their ids, and
 * both are made again when the connection or the server is back.
 */
export function openServerChannel({ requests, outbox, session, onMessage }: ChannelOptions): TabChannel {
  outbox.asks(session.sessionId);
  let reported: LinkConnection = 'open';
  let isStuck = false;
  function report(connection: LinkConnection): void {
    reported = connection;
    // A command that does not arrive is not sent, also while events come.
    session.onConnection?.(isStuck && connection === 'open' ? 'reconnecting' : connection);
  }
  let lost: ReturnType<typeof setTimeout> | undefined;
  const stream = new EventStream({
    name: JSON.stringify([addressOf(requests.url), session.agentName, session.sessionId]),
    ask: (after, signal) => requests.events(session, after, signal),
    onMessage(message) {
      if (message.type === 'answer') commands.settle(message.commandId);
      onMessage(seal(message));
    },
    onPerson(person) {
      outbox.setPerson(person, session.sessionId);
      commands.giveAll();
    },
    onConnection(connection) {
      clearTimeout(lost);
      if (connection !== 'open') outbox.asksInVain(session.sessionId);
      if (connection === 'open') report('open');
      else lost = setTimeout(() => report(isOffline() ? 'offline' : connection), lostMs);
    },
  });
  const attention = watchAttention((isSeen) => stream.setSeen(isSeen));
  async function onAnswer(commandId: string, known: KnownAnswer): Promise<void> {
    const isRefused = known.turn === null && known.error !== null;
    if (!isRefused) await stream.caughtUp();
    const { term } = stream;
    onMessage(seal({ type: 'answer', term, n: 0, commandId, ...known }));
    // A server that refuses a command may never show the session, which the answer would wait for.
    if (isRefused && term < 0.5) onMessage(seal({ type: 'term', term: term + 1e-6 }));
  }
  const commands = createGiver(
    { requests, outbox, session },
    {
      onAnswer,
      onForeign: () => stream.part(),
      onStuck(next) {
        if (isStuck === next) return;
        isStuck = next;
        report(reported);
      },
    },
  );
  const online = (): void => {
    if (reported === 'offline') report('reconnecting');
    stream.again();
  };
  const offline = (): void => {
    stream.cut();
    report('offline');
  };
  globalThis.addEventListener?.('online', online);
  globalThis.addEventListener?.('offline', offline);
  return {
    post(data) {
      const message = unseal(data);
      if (message?.type === 'hello') stream.hello(message);
      else if (message?.type === 'command') {
        attention.note();
        commands.take(message.command);
      }
    },
    close() {
      globalThis.removeEventListener?.('online', online);
      globalThis.removeEventListener?.('offline', offline);
      clearTimeout(lost);
      attention.end();
      commands.end();
      stream.end();
      outbox.asksInVain(session.sessionId);
    },
  };
}

/** A command, and the person who gave it; null when that was not known. */
type Given = { readonly command: Command; readonly person: string | null };

type GiverEvents = {
  readonly onAnswer: (commandId: string, answer: KnownAnswer) => Promise<void>;
  /** Called when the server takes this page for another person than the one who gave a command. */
  readonly onForeign: () => void;
  /** Called with true when a command does not arrive, and with false when the next one does. */
  readonly onStuck: (isStuck: boolean) => void;
};

/**
 * Creates an object that gives commands to a server until each is kept there, in their order. `giveAll` gives at once what
 * waits, what has no answer yet, and what an earlier page kept.
 */
function createGiver(
  { requests, outbox, session }: Omit<ChannelOptions, 'onMessage'>,
  { onAnswer, onForeign, onStuck }: GiverEvents,
) {
  /** The commands that the server has not acknowledged, with the person who gave them. */
  const waiting = new Map<string, Given>();
  const unanswered = new Map<string, Given>();
  /** The commands of a person who is not signed in any more. They stay in the outbox for the return of that person. */
  const foreign = new Map<string, Given>();
  let [isGiving, isEnded] = [false, false];
  let wake = (): void => undefined;
  let draft: ReturnType<typeof setTimeout> | undefined;

  async function give(key: string, given: Given): Promise<boolean> {
    const { command } = given;
    const known = await request({ requests, session }, given);
    if (known === 'later') return false;
    // A later draft has taken its place.
    if (waiting.get(key) === given) waiting.delete(key);
    if (known === 'foreign') {
      foreign.set(key, given);
      onForeign();
      return true;
    }
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
      failures = (await watchSlow(give(...next), () => onStuck(true))) ? 0 : failures + 1;
      onStuck(failures > 0);
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
    take(command: Command): void {
      if (command.type !== 'set-draft') return add(command.id, command);
      // The server keeps only what was typed last.
      clearTimeout(draft);
      draft = setTimeout(() => add('draft', command), draftMs);
      void onAnswer(command.id, { turn: null, error: null });
    },
    settle: (commandId: string): void => void unanswered.delete(commandId),
    giveAll(): void {
      for (const [key, { command }] of [...unanswered, ...foreign]) add(key, command);
      void giveWaiting();
      void outbox.take(session.sessionId).then((kept) => {
        for (const command of kept)
          if (!unanswered.has(command.id)) add(command.id, command as unknown as Command);
      });
    },
    end(): void {
      isEnded = true;
      clearTimeout(draft);
      wake();
    },
  };
}

/**
 * Resolves with the answer of a request, with null when there is none yet, with `later` for a lost one, and with
 * `foreign` for one of another person than the one who is signed in.
 */
function request(
  { requests, session }: Pick<ChannelOptions, 'requests' | 'session'>,
  { command, person }: Given,
): Promise<KnownAnswer | null | 'later' | 'foreign'> {
  return requests.give(session, command, person).catch((thrown: unknown) => {
    if (isAgentError(thrown, 'command-of-another')) return 'foreign';
    const isRefused = isAgentError(thrown) && thrown.data['retryable'] === false;
    return isRefused ? { turn: null, error: ErrorInfo.of(thrown) } : 'later';
  });
}

async function watchSlow<Value>(asked: Promise<Value>, onSlow: () => void): Promise<Value> {
  let isOver = false;
  pause(stuckMs, () => (isOver ? undefined : onSlow()));
  return asked.finally(() => (isOver = true));
}

/** The whole address of a server, which all pages of an origin write in the same way. */
function addressOf(url: string): string {
  try {
    return new URL(url, globalThis.document?.baseURI).href;
  } catch {
    // A path that only a `fetch` of the application knows.
    return url;
  }
}

function isOffline(): boolean {
  return globalThis.navigator?.onLine === false;
}
