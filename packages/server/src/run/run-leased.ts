import {
  type AgentDefinition,
  type AgentSession,
  createAgentSession,
  type Env,
  ErrorInfo,
} from '@vitrine/core';
import type { LinkMessage } from '@vitrine/core/link';
import type { Lease, SessionAddress, SessionHost } from '../host/session-host.ts';
import { beatMs, type BusPlace, listen, say } from './bus-message.ts';
import { createRunnerLink, placeOf, type RunnerLink, type RunnerMessage, runnerText } from './runner-link.ts';
import { crashedError, refusingEffects } from './refusing-effects.ts';
import { isActing } from './tool-calls.ts';
import { createWaitingTeller, type OnWaiting } from './waiting-calls.ts';

export type LeasedOptions = {
  readonly agent: AgentDefinition;
  readonly address: SessionAddress;
  readonly lease: Lease;
  readonly host: SessionHost;
  /** Milliseconds without work before a session is left. */
  readonly lingerMs: number;
  readonly onWaiting: OnWaiting;
  readonly env: Env | undefined;
};

/** A session that runs under a lease. */
export type LeasedRun = {
  /** Resolves when nothing is left to do. Rejects when the session was left with work. */
  readonly done: Promise<void>;
  /** Leaves the session to the next process once no tool runs, or at the given time of `performance.now()`. */
  readonly drain: (until: number) => Promise<void>;
};

/** The interval of looking for commands that the bus did not tell of, in milliseconds. */
const lookMs = 1000;
/** The interval of looking whether anything is left to do, in milliseconds. */
const paceMs = 50;
const drainMs = 10;

/** Runs one session under a lease: gives its kept commands in order, keeps the answers, and tells its followers. */
export function runLeased(options: LeasedOptions): LeasedRun {
  const { agent, address, lease, host } = options;
  if (lease.verdict === 'refuse')
    return { done: refuseAll(options, ErrorInfo.of(crashedError())), drain: async () => undefined };
  const link = createRunnerLink((message) => teller.hear(message));
  const changes = createListeners();
  const session = createAgentSession({
    agent,
    sessionId: address.sessionId,
    sessions: { ...lease.sessions, tabs: link.tabs, subscribe: changes.add },
    effects: lease.verdict === 'run' ? lease.effects : refusingEffects(lease.effects),
    owner: address.owner,
    ...(options.env && { env: options.env }),
    resume: true,
    publish: 'immediate',
  });
  const run: Run = { ...options, session, link, given: new Set(), isLeft: false, isOver: false, looksAt: 0 };
  const teller = createTeller(run);

  async function serve(): Promise<void> {
    const leave = listen(host.bus, address, (message) => {
      if (message.type === 'look') run.looksAt = 0;
      if (message.type === 'hello' || message.type === 'here') teller.noteFollower();
      if (message.type === 'changed') changes.tell(address.sessionId);
      if (message.type === 'hello') link.give(teller.hello(message.from, message.seen));
    });
    try {
      await session.ready;
      await serveCommands(run, teller);
    } finally {
      run.isOver = true;
      leave();
      const isClosed = session.dispose();
      if (isMine(run)) await isClosed;
      say(host.bus, address, { type: 'rest', epoch: lease.epoch });
    }
    if (run.isLeft && !session.isSettled()) throw new Error('The session was left with work.');
  }

  return {
    done: serve(),
    async drain(until) {
      const isBusy = (): boolean =>
        !run.isOver && isActing(session.store.getState().state) && performance.now() < until;
      do {
        while (isBusy()) await new Promise((resolve) => setTimeout(resolve, drainMs));
        await session.flush();
      } while (isBusy());
      run.isLeft = true;
    },
  };
}

/** The listeners of a session to changes that another call made in its store. */
type ChangeListeners = {
  readonly add: (listener: (id: string) => void) => () => void;
  readonly tell: (id: string) => void;
};

function createListeners(): ChangeListeners {
  const all = new Set<(id: string) => void>();
  return {
    add(listener) {
      all.add(listener);
      return () => void all.delete(listener);
    },
    tell: (id) => all.forEach((listener) => listener(id)),
  };
}

/** A session under its lease, and what was done with it. */
type Run = LeasedOptions & {
  readonly session: AgentSession;
  readonly link: RunnerLink;
  /** The ids of the commands that the session was given. */
  readonly given: Set<string>;
  /** True when the session is left to the next process. */
  isLeft: boolean;
  isOver: boolean;
  /** The time of the next look for commands, by `performance.now()`. */
  looksAt: number;
};

function isMine({ lease, isLeft }: Run): boolean {
  return !lease.signal.aborted && !isLeft;
}

/** Gives commands until there has been no work for a while, or the session is another's. */
async function serveCommands(run: Run, teller: Teller): Promise<void> {
  const { session, lingerMs } = run;
  const waiting = createWaitingTeller(session, run);
  let idleSince: number | null = null;
  while (isMine(run)) {
    if (performance.now() >= run.looksAt) await giveCommands(run);
    if (session.isSettled()) waiting.look();
    const isIdle = session.isSettled() && teller.isQuiet() && waiting.isQuiet();
    idleSince = isIdle ? (idleSince ?? performance.now()) : null;
    const isOver = idleSince !== null && performance.now() - idleSince >= lingerMs;
    if (isOver && run.looksAt > performance.now()) break;
    await new Promise((resolve) => setTimeout(resolve, paceMs));
  }
  const { status, error } = session.store.getState();
  if (status === 'error' && error !== null && isMine(run)) await refuseUnread(run, error);
}

async function giveCommands(run: Run): Promise<void> {
  const { host, address, given, link } = run;
  run.looksAt = performance.now() + lookMs;
  for (const { command, by } of await host.pending(address)) {
    if (given.has(command.id) || !isMine(run)) continue;
    given.add(command.id);
    link.give({ type: 'command', command: { ...command, by } } as unknown as LinkMessage);
  }
}

/** Answers the commands of a session that cannot be read, which takes none. */
async function refuseUnread(run: Run, error: ErrorInfo): Promise<void> {
  const { lease, address } = run;
  if ((await lease.sessions.load(address.sessionId).catch(() => null)) === null) await refuseAll(run, error);
}

async function refuseAll({ host, address, lease }: LeasedOptions, error: ErrorInfo): Promise<void> {
  for (const { command } of await host.pending(address))
    await host.answer(address, command.id, { turn: null, error }, lease.epoch);
}

/** The part of a run that keeps answers and tells followers. */
type Teller = {
  readonly hear: (message: RunnerMessage) => void;
  /** Notes that somebody follows. Without a follower only the term and answers are told. */
  readonly noteFollower: () => void;
  /** True when all answers are kept. */
  readonly isQuiet: () => boolean;
  /** The hello of a follower, with its position as the session counts. */
  readonly hello: (from: string, seen: BusPlace | null) => LinkMessage;
};

function createTeller(run: Run): Teller {
  const { host, address, lease, session } = run;
  const answers = new Set<Promise<void>>();
  let term: number | null = null;
  let followedUntil = 0;

  function tell(message: RunnerMessage): void {
    const { epoch } = lease;
    const isForAll = message.type === 'term' || message.type === 'answer';
    if (!isForAll && performance.now() > followedUntil) return;
    const at = placeOf(message, epoch);
    const [kind, to] = [message.type, 'to' in message ? message.to : null];
    say(host.bus, address, { type: 'link', kind, to, at, data: runnerText(message, epoch) });
  }

  /** Keeps an answer once its effects are stored, and tells it. */
  async function keep(message: Extract<RunnerMessage, { readonly type: 'answer' }>): Promise<void> {
    const { commandId, turn, error } = message;
    await session.flush();
    if (!isMine(run)) return;
    await host.answer(address, commandId, { turn, error }, lease.epoch);
    tell(message);
  }

  return {
    hear(message) {
      if (run.isOver || lease.signal.aborted) return;
      ({ term } = message);
      if (message.type !== 'answer') return tell(message);
      const kept = keep(message)
        // A later epoch, or a full disk: the command waits for the next run.
        .catch(() => undefined)
        .finally(() => answers.delete(kept));
      answers.add(kept);
    },
    noteFollower: () => void (followedUntil = performance.now() + 2.5 * beatMs),
    isQuiet: () => answers.size === 0,
    hello(from, seen) {
      const isHere = seen?.epoch === lease.epoch && term !== null;
      return { type: 'hello', id: from, have: null, seen: isHere ? { term: term ?? 0, n: seen.n } : null };
    },
  };
}
