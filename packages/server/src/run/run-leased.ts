import {
  type AgentDefinition,
  type AgentSession,
  createAgentSession,
  type Env,
  ErrorInfo,
  type SessionStore,
  systemEnv,
} from '@vitrine/core';
import { createListeners, type Listeners } from '@vitrine/core/internal/kit/listeners';
import type { LinkMessage } from '@vitrine/persist/internal/link/protocol';
import { orLate } from '@vitrine/proxy/internal/kit/time';
import type { Lease, SessionAddress, SessionHost } from '../host/session-host.ts';
import { beatMs, type BusMessage, type BusPlace, listen, say } from './bus-message.ts';
import { withinRest } from './grant-limits.ts';
import { type CallGuard, guardModelCalls } from './model-calls.ts';
import {
  createRunnerLink,
  placeOf,
  type RunnerLink,
  type RunnerMessage,
  runnerText,
  storedIn,
} from './runner-link.ts';
import { crashedError, refusingEffects } from './refusing-effects.ts';
import {
  endWait,
  isActing,
  type OnWaiting,
  type WaitEnd,
  waitEndOf,
  WaitingReporter,
} from './waiting-calls.ts';

export type LeasedOptions = {
  readonly agent: AgentDefinition;
  readonly address: SessionAddress;
  readonly lease: Lease;
  readonly host: SessionHost;
  /** Milliseconds without work before a session is left. */
  readonly lingerMs: number;
  readonly onWaiting: OnWaiting;
  /** Milliseconds that calls wait for approval. */
  readonly approvalMs: number;
  /** The guard and the log of model calls. Default: none. */
  readonly calls?: CallGuard | undefined;
  readonly env?: Env | undefined;
};

export type LeasedRun = {
  /** Resolves when nothing is left to do. Rejects when the session was left with work. */
  readonly done: Promise<void>;
  /** Leaves the session to the next process once no tool runs, or at the given time of `performance.now()`. */
  readonly drain: (until: number) => Promise<void>;
};

/** The interval of looking for commands that the bus did not tell of, in milliseconds. */
const lookMs = 1000;
const drainMs = 10;

/** Runs one session under a lease: gives its kept commands in order, keeps the answers, and tells its followers. */
export function runLeased(options: LeasedOptions): LeasedRun {
  const { agent, address, lease, host } = options;
  if (lease.verdict === 'refuse')
    return { done: refuseAll(options, ErrorInfo.of(crashedError())), drain: async () => undefined };
  const link = createRunnerLink((message) => reporter.receive(message));
  /** The listeners of the session to changes that another call made in its store. */
  const changes = createListeners<string>();
  const calls =
    options.calls && guardModelCalls(options.calls, address, () => session.store.getState().state);
  const session: AgentSession = createAgentSession({
    agent: calls?.agent(agent) ?? agent,
    sessionId: address.sessionId,
    sessions: linkedSessions(options, link, changes),
    effects: lease.verdict === 'run' ? lease.effects : refusingEffects(lease.effects),
    owner: address.owner,
    ...(options.env && { env: options.env }),
    ...(calls && { onEvent: calls.onEvent }),
    resume: true,
    publish: 'immediate',
  });
  const run: Run = {
    ...options,
    session,
    link,
    given: new Set(),
    isLeft: false,
    isUnkept: false,
    isOver: false,
    looksAt: 0,
    endedAt: null,
    wake: () => undefined,
  };
  const reporter = new Reporter(run);

  async function serve(): Promise<void> {
    const leave = listen(host.bus, address, (message) => {
      if (message.type === 'look' && lease.verdict === 'run') {
        run.looksAt = 0;
        run.wake();
      }
      if (message.type === 'hello' || message.type === 'here') reporter.noteFollower(message);
      if (message.type === 'changed') changes.notify(address.sessionId);
      if (message.type === 'hello') reporter.greet(message);
      if (message.type === 'bye') link.give({ type: 'bye', id: message.from });
    });
    const onWake = (): void => run.wake();
    lease.signal.addEventListener('abort', onWake);
    const unsubscribe = session.store.subscribe(() => (session.isSettled() ? run.wake() : undefined));
    try {
      await session.ready;
      await serveCommands(run, reporter);
    } finally {
      run.isOver = true;
      unsubscribe();
      lease.signal.removeEventListener('abort', onWake);
      leave();
      const isClosed = session.dispose();
      if (isMine(run)) await isClosed;
      say(host.bus, address, { type: 'rest', at: reporter.last });
    }
    if (run.isUnkept || (run.isLeft && !session.isSettled()))
      throw new Error('The session was left with work.');
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
      run.wake();
    },
  };
}

/** The store of a lease, with the link of its runner, which learns what was stored when the run began. */
function linkedSessions(
  { lease, address }: LeasedOptions,
  link: RunnerLink,
  changes: Listeners<string>,
): SessionStore {
  return {
    ...lease.sessions,
    tabs: link.tabs,
    subscribe: changes.add,
    async load(id) {
      const load = await lease.sessions.load(id);
      // A fork reads another one.
      if (id === address.sessionId) link.began(load);
      return load;
    },
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
  /** True when the answer to a command could not be kept, so that the command waits for the next run. */
  isUnkept: boolean;
  isOver: boolean;
  /** The time of the next look for commands, by `performance.now()`. */
  looksAt: number;
  /** The end of the last wait that was ended here. */
  endedAt: number | null;
  /** Ends the wait for something to do. */
  wake: () => void;
};

function isMine({ lease, isLeft }: Run): boolean {
  return !lease.signal.aborted && !isLeft;
}

/** Gives commands until there has been no work for a while, or the session is another's. */
async function serveCommands(run: Run, reporter: Reporter): Promise<void> {
  const { session } = run;
  // It would go on in memory, and refuse what is asked of a session that it does not know.
  if (session.store.getState().persistence.error?.code === 'session-storage')
    throw new Error('The stored session could not be read.');
  const lingerMs = run.lease.verdict === 'run' ? run.lingerMs : 0;
  const waiting = new WaitingReporter(session, run);
  let idleSince: number | null = null;
  while (isMine(run)) {
    if (performance.now() >= run.looksAt) await giveCommands(run);
    if (session.isSettled()) {
      waiting.look();
      lookForEnd(run);
    }
    const isIdle = session.isSettled() && reporter.isQuiet && waiting.isQuiet;
    idleSince = isIdle ? (idleSince ?? performance.now()) : null;
    const leavesAt = idleSince === null ? Infinity : idleSince + lingerMs;
    if (performance.now() >= leavesAt && run.looksAt > performance.now()) break;
    const until = Math.min(leavesAt, run.looksAt, performance.now() + lookMs);
    await orLate(until - performance.now(), new Promise<void>((resolve) => (run.wake = resolve)));
  }
  const { status, error } = session.store.getState();
  const end = nextEnd(run);
  if (end !== null && isMine(run)) await run.host.wakeAt(run.address, end.at);
  if (status === 'error' && error !== null && isMine(run)) await refuseUnread(run, error);
}

/** The end of the wait that the session is in; null for none, and for one that was ended here. */
function nextEnd({ session, approvalMs, endedAt }: Run): WaitEnd | null {
  const end = waitEndOf(session.store.getState().state, approvalMs);
  return end?.at === endedAt ? null : end;
}

/** Ends a wait for a person whose time has come. */
function lookForEnd(run: Run): void {
  const { session, env = systemEnv } = run;
  const end = nextEnd(run);
  if (end === null || env.now() < end.at) return;
  run.endedAt = end.at;
  // The turn goes on; its outcome is in the state.
  endWait(session, end).catch(() => undefined);
}

async function giveCommands(run: Run): Promise<void> {
  const { host, address, given, link, lease } = run;
  // A session that is failed leaves what comes later to the next run, which may call models and tools.
  run.looksAt = lease.verdict === 'run' ? performance.now() + lookMs : Infinity;
  for (const { command, by } of await host.pending(address)) {
    if (given.has(command.id) || !isMine(run)) continue;
    given.add(command.id);
    const { state } = run.session.store.getState();
    const allowed = withinRest(command, { agent: run.agent, state, now: (run.env ?? systemEnv).now() });
    link.give({ type: 'command', command: { ...allowed, by } } as unknown as LinkMessage);
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

type Hello = Extract<BusMessage, { readonly type: 'hello' }>;

/** The part of a run that keeps answers and tells followers. */
class Reporter {
  readonly #run: Run;
  /** Answers that are being kept. */
  readonly #answers = new Set<Promise<void>>();
  #term: number | null = null;
  #followedUntil = 0;
  /** The time until which somebody follows who inspects. */
  #inspectedUntil = 0;
  /** The follower that is being answered. Only to it a term says that it is up to date. */
  #asking: Hello | null = null;
  #last: BusPlace;

  constructor(run: Run) {
    this.#run = run;
    this.#last = { epoch: run.lease.epoch, n: 0 };
  }

  get last(): BusPlace {
    return this.#last;
  }

  /** True when all answers are kept. */
  get isQuiet(): boolean {
    return this.#answers.size === 0;
  }

  receive(message: RunnerMessage): void {
    const run = this.#run;
    if (run.isOver || run.lease.signal.aborted) return;
    this.#term = message.term;
    if (message.type !== 'answer') return this.#publish(message);
    const kept = this.#keep(message)
      // A later epoch, or a full disk.
      .catch(() => void (run.isUnkept = true))
      .finally(() => {
        this.#answers.delete(kept);
        run.wake();
      });
    this.#answers.add(kept);
  }

  /** Notes that somebody follows. Without a follower only the term and answers are told. */
  noteFollower({ inspects }: Pick<Hello, 'inspects'>): void {
    this.#followedUntil = performance.now() + 2.5 * beatMs;
    if (inspects) this.#inspectedUntil = this.#followedUntil;
  }

  /** Answers a follower that joins at a position. */
  greet(hello: Hello): void {
    const { have, seen } = hello.at;
    const { link, lease } = this.#run;
    const term = seen?.term === lease.epoch ? this.#term : null;
    this.#asking = hello;
    link.greet(hello.from, { have, seen: seen === null || term === null ? null : { term, n: seen.n } });
    this.#asking = null;
  }

  #publish(message: RunnerMessage): void {
    const { host, address, lease } = this.#run;
    const { epoch } = lease;
    const { type: kind } = message;
    const at = placeOf(message, epoch);
    if (at.n > this.#last.n) this.#last = at;
    const isForAll = message.type === 'term' || message.type === 'answer';
    if (!isForAll && performance.now() > this.#followedUntil) return;
    const to = 'to' in message ? message.to : kind === 'term' ? (this.#asking?.from ?? null) : null;
    const stored = storedIn(message);
    const fields = stored === undefined ? {} : { stored };
    const data = runnerText(message, epoch, to !== null && this.#asking?.inspects === true);
    const isShared = to === null && performance.now() <= this.#inspectedUntil;
    const whole = isShared ? runnerText(message, epoch, true) : data;
    const text = whole === data ? { data } : { data, whole };
    say(host.bus, address, { type: 'link', kind, to, at, ...fields, ...text });
  }

  /** Keeps an answer once its effects are stored, and tells it. */
  async #keep(message: Extract<RunnerMessage, { readonly type: 'answer' }>): Promise<void> {
    const { session, host, address, lease } = this.#run;
    const { commandId, turn, error } = message;
    await session.flush();
    if (!isMine(this.#run)) return;
    await host.answer(address, commandId, { turn, error }, lease.epoch);
    this.#publish(message);
  }
}
