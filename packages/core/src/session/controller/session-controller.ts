import { runOnJournal } from '../../agent-loop/run-on-journal.ts';
import type { AgentDefinition } from '../../agent/agent-definition.ts';
import { loadConverterFor } from '../../agent/json-schema-of.ts';
import { create } from '../../graph/agent-state/create.ts';
import { fieldsWithoutRun } from '../../graph/agent-state/transitions.ts';
import type { Env } from '../../graph/env.ts';
import { section, withSection } from '../../graph/message-store.ts';
import type { AgentState } from '../../graph/types.ts';
import { AgentError, isAgentError } from '../../kit/agent-error.ts';
import { freeze } from '../../kit/freeze.ts';
import { callSafely, type Listeners } from '../../kit/listeners.ts';
import type { Mailbox } from '../../kit/mailbox.ts';
import type { AgentChange, AgentEvent } from '../../run/events.ts';
import type { Journal } from '../../run/journal.ts';
import type { SessionCommands, SessionSettings, SnapshotStore } from '../agent-session.ts';
import { pluginsAt } from '../branches/branch-before.ts';
import type { SessionTree } from '../branches/session-tree.ts';
import { type HubSource, sessionHub } from '../hub.ts';
import { advance, reduce } from '../machine/machine.ts';
import { unbegun } from '../machine/queue.ts';
import { retriesAfter } from '../machine/run-control.ts';
import { isCommand, isKept, type SessionInput } from '../machine/session-input.ts';
import { type AgentLimits, hasWork, openTurns, type SessionModel } from '../machine/session-model.ts';
import type { Transition } from '../machine/transition.ts';
import type { AttachedSession, Persistence, Saved, ShownPersistence } from '../persistence.ts';
import { runProgress } from '../publishing/progress.ts';
import type { Publisher } from '../publishing/publisher.ts';
import { queueOf, type RunProgress } from '../publishing/snapshot.ts';
import type { Replies } from '../replies.ts';
import { type AttachingHandler, createAttachingHandler } from '../running/attaching-handler.ts';
import { performEffect } from '../running/perform-effect.ts';
import { createRunner, type RunnerOptions, type SessionRunner } from '../running/runner.ts';
import { SessionJournal } from '../running/session-journal.ts';
import { checkedInput } from '../running/user-message.ts';
import { copyBlobs } from '../store/attachments.ts';
import { checkpointBefore } from '../store/live-record.ts';
import { loadedSession } from '../store/loaded-session.ts';
import type { SessionRecord, SessionStore, StoredPast } from '../store/session-store.ts';
import { treeWithoutTransient, withoutTransientPlugins } from '../store/without-transient.ts';
import { createUnstored } from '../unstored.ts';

export type EventListeners = Listeners<{ readonly event: AgentEvent; readonly state: AgentState }>;

/** The parts of a session that exist with the page, for its controller. */
export type ControllerOptions = Pick<
  AttachedSession,
  'env' | 'id' | 'mailbox' | 'model' | 'openAgain' | 'replies' | 'sessions' | 'settings'
> &
  RunnerOptions & {
    readonly forks: SessionStore | undefined;
    readonly initialState: AgentState | undefined;
    readonly publisher: Publisher;
    readonly listeners: EventListeners;
    readonly session: SessionCommands & { readonly store: SnapshotStore };
    /** Called when no work is active any more. */
    readonly onLeave: () => void;
  };

/** The facts about a session that its snapshot shows beside its machine and its journal. */
export type ShownSession = Omit<ShownPersistence, 'limits'> & { readonly limits: AgentLimits };

/**
 * The controller of a session in use. Each input goes through the mailbox to a pure machine, whose effects it
 * performs. It owns the journal with the agent's state, and the parts that run, save and publish.
 */
export class SessionController implements AttachedSession {
  readonly env: Env;
  readonly sessions: SessionStore | undefined;
  readonly id: () => string | null;
  readonly settings: () => SessionSettings;
  readonly publisher: Publisher;
  readonly mailbox: Mailbox<SessionInput>;
  readonly post: (input: SessionInput) => void;
  readonly openAgain: (commandId: string | null) => void;
  readonly journal: SessionJournal;
  readonly runner: SessionRunner;
  persistence: Persistence;
  /** Aborted when the session ends. Another one begins when a deletion is undone. */
  life = new AbortController();
  readonly #options: ControllerOptions;
  readonly #attaching: AttachingHandler;
  /** Its source in the hub: a new one with every journal. */
  #announced: { readonly source: HubSource; readonly end: () => void } | null = null;
  #model: SessionModel;
  #callbacks: readonly (() => void)[] = [];

  /** True for a session with a store to keep it, also one of another copy of this library. */
  static isAttachable(value: object): value is AttachedSession & { readonly sessions: SessionStore } {
    const { current, sessions } = value as Partial<AttachedSession>;
    return current !== undefined && sessions !== undefined;
  }

  /** Creates the controller of a session and attaches it to its store. */
  static async open(options: ControllerOptions): Promise<SessionController> {
    const { sessions } = options;
    const session = new SessionController(options);
    if (sessions !== undefined) session.persistence = await attachTo(sessions, session);
    return session;
  }

  private constructor(options: ControllerOptions) {
    const { env, sessions, initialState, mailbox } = options;
    this.#options = options;
    this.#model = options.model;
    this.env = env;
    this.sessions = sessions;
    this.id = options.id;
    this.settings = options.settings;
    this.publisher = options.publisher;
    this.mailbox = mailbox;
    this.post = mailbox.post;
    this.openAgain = options.openAgain;
    this.persistence = createUnstored(this, options.replies);
    this.journal = new SessionJournal({
      env,
      initialState,
      onJournal: (journal) => this.#announce(journal),
      onEvent: (event, state) => this.#receive(event, state),
      onChange: (before, event) => this.#noteCheckpoint(before, event),
    });
    this.runner = createRunner(this, options, runOnJournal);
    // A run loads it too. Begun with the engine, it is there before the first message is sent.
    void loadConverterFor(this.agent);
    this.#attaching = createAttachingHandler(this);
  }

  endLife(): void {
    this.life.abort();
    this.life = new AbortController();
  }

  get model(): SessionModel {
    return this.#model;
  }

  get state(): AgentState {
    return this.journal.state;
  }

  get agent(): AgentDefinition {
    return this.settings().agent;
  }

  get replies(): Replies {
    return this.persistence.replies;
  }

  /** The facts that a snapshot shows: where the session runs, with which limits, and how it is kept. */
  facts(): ShownSession {
    const { phase, moved = null } = this.#model;
    const shown = this.persistence.facts();
    const limits = shown.limits ?? this.agent;
    if (moved !== null) return { ...shown, limits, where: 'server' };
    const isUnread = phase === 'loading' && this.sessions !== undefined;
    return { ...shown, limits, where: isUnread ? 'nobody' : shown.where };
  }

  /** The current work of the run; null without one. */
  get work(): RunProgress | null {
    return runProgress(this.#model, this.state, this.agent);
  }

  /** True when no requested work is open or unsaved. */
  get isSettled(): boolean {
    const isIdle = !hasWork(this.#model) && !this.#attaching.isKeeping();
    return isIdle && this.persistence.facts().isSettled;
  }

  /** Takes an input: its files are stored first, and another tab may be the one that handles it. */
  handle(input: SessionInput): void {
    this.#attaching.handle(input);
  }

  process(input: SessionInput): void {
    const { publisher } = this;
    publisher.during(() => this.#work(input));
    if (input.type === 'set-draft') publisher.flush();
    const calls = this.#callbacks;
    this.#callbacks = [];
    calls.forEach(callSafely);
  }

  /** Schedules a callback after the input is handled and its changes are published. */
  afterwards(callback: () => void): void {
    this.#callbacks = [...this.#callbacks, callback];
  }

  async fork(state: AgentState, sessionId: string, end: number): Promise<void> {
    const { agent } = this;
    const saved = { ...this.current(), title: this.persistence.facts().title };
    const record = forkedRecord(
      {
        ...saved,
        ...treeWithoutTransient(saved, agent.plugins),
        state: withoutTransientPlugins(state, agent.plugins),
      },
      { sessionId, end },
      this.env,
    );
    await saveFork(record, this.sessions, this.#options.forks);
  }

  /** Performs the last write, then ends subscriptions and timers. No work is active any more. */
  async leave(): Promise<void> {
    this.endLife();
    await this.persistence.close();
    this.#announced?.end();
    this.#options.onLeave();
  }

  #work(given: SessionInput): void {
    const { agent, env, replies, journal } = this;
    const { perform: note, others } = this.persistence;
    const input = checkedInput(given, { agent, env, replies });
    if (input === null) return;
    if (isCommand(input)) {
      // The first command begins the journal.
      if (input.type !== 'dispose') journal.current();
      note({ type: 'hurry' });
      // One that is refused for now is left to the next page.
      const { phase, isDisposed } = this.#model;
      if (isKept(input) && phase !== 'unreadable' && !isDisposed)
        note({ type: 'note-command', id: input.id });
    }
    this.#enter(reduce(this.#model, input, this.state, others));
    // The tab that led took these commands, and may not have stored them.
    if (input.type === 'opened')
      openTurns(this.#model).forEach(({ id }) => note({ type: 'note-command', id }));
    let before: SessionModel | null = null;
    while (before !== this.#model) {
      before = this.#model;
      this.#enter(advance(this.#model, this.state));
    }
  }

  #enter({ model, effects }: Transition): void {
    this.#model = model;
    for (const effect of effects) callSafely(() => performEffect(this, effect));
  }

  /** Saves and publishes an event of the journal and passes it to other tabs. */
  #receive(event: AgentEvent, state: AgentState): void {
    const { retrying: before } = this.#model;
    const retrying = retriesAfter(before, event);
    if (retrying !== before) this.post({ type: 'retrying', retrying });
    if (event.type === 'section-change' && event.erased !== undefined && event.path.length === 0)
      this.post({ type: 'texts-erased', ids: event.erased, state });
    this.persistence.receive(event, state);
    this.publisher.touch();
    this.#options.listeners.notify({ event, state });
    callSafely(() => this.settings().onEvent?.(event, state));
  }

  #noteCheckpoint(before: AgentState, event: AgentChange): void {
    const checkpoint = checkpointBefore(before, event, this.#model.tree.checkpoints.at(-1));
    if (checkpoint !== null) this.post({ type: 'checkpoint', checkpoint });
  }

  #announce(journal: Journal): void {
    const { sessions } = this;
    const source: HubSource = {
      id: this.id() ?? '',
      name: this.agent.name,
      journal,
      budget: () => this.facts().limits.budget,
      agent: () => this.agent,
      version: () => (this.persistence.facts().limits ?? { agentVersion: this.agent.version }).agentVersion,
      past: (id) => this.#past(id),
      ...(sessions && { list: (query) => sessions.list(query) }),
      isRunning: () => this.work !== null,
      isFollowing: () => this.#model.isFollowing === true,
      snapshots: this.#options.session.store,
      commands: this.#options.session,
    };
    this.#announced = { source, end: sessionHub().register(source, this.#announced?.source) };
    this.persistence.begin(journal);
  }

  /** Reads a past from the store, or from its server. It writes first, so that no event is missing in between. */
  async #past(id = this.id() ?? ''): Promise<StoredPast | null> {
    const { sessions } = this;
    if (sessions?.served !== undefined) return sessions.served.past(id);
    await this.persistence.settle();
    const record = sessions === undefined ? null : loadedSession(await sessions.load(id));
    if (record === null) return null;
    const runs = (await sessions?.runs?.(id)) ?? [];
    return { runs, journal: { id: record.journal.id, base: record.state, events: record.journal.tail } };
  }

  current(): Saved {
    const { id, agent, state } = this;
    const { title, draft, tree, phase, moved: movedTo = null } = this.#model;
    const queue = queueOf(unbegun(this.#model));
    const isUnread = phase === 'unreadable';
    const { name: agentName, plugins } = agent;
    return { ...tree, id: id(), isUnread, agentName, plugins, state, title, queue, draft, movedTo };
  }
}

function attachTo(sessions: SessionStore, session: SessionController): Promise<Persistence> {
  // No application reads these values, so the contract of stores does not name their types.
  if (typeof sessions.attach === 'function') return sessions.attach(session) as Promise<Persistence>;
  const message =
    'The store of this session has no attach(). Make it by rowSessions(), or give it `attach: attachSession` of @vitrine/persist.';
  throw new AgentError('session-storage', message);
}

/** Creates a session from the first messages of another: a new agent without a run, queue or branches. */
function forkedRecord(
  source: Saved & { readonly title: string },
  { sessionId, end }: { readonly sessionId: string; readonly end: number },
  env: Env,
): SessionRecord {
  const { state, agentName, title } = source;
  const forked = forkedState(state, source, end, env);
  const kept = new Set(section(forked.context.store).map(({ id }) => id));
  const { createdAt, updatedAt } = forked;
  return {
    id: sessionId,
    version: 0,
    title,
    agentName,
    parentId: source.id,
    createdAt,
    updatedAt,
    status: 'active',
    executionStatus: null,
    queue: [],
    draft: '',
    state: forked,
    journal: { id: env.id(), records: 0, tail: [] },
    branches: [],
    checkpoints: source.checkpoints.filter(({ messageId }) => kept.has(messageId)),
  };
}

function forkedState(state: AgentState, tree: SessionTree, end: number, env: Env): AgentState {
  const { agentId, createdAt, updatedAt } = create({}, env);
  const said = section(state.context.store);
  const messages = end === said.length ? said : said.slice(0, end);
  const store = withSection(withSection(state.context.store, 'execution_buffer', []), 'messages', messages);
  const own = { agentId, parentAgentId: null, createdAt, updatedAt, seq: 0, executionCount: 0 };
  // A fork keeps the remaining budget of its session and gets no new one.
  const begun = fieldsWithoutRun(state);
  const plugins = pluginsAt(state, tree, { messages: said, at: end });
  return freeze({ ...state, ...own, ...begun, context: { ...state.context, store }, plugins });
}

async function saveFork(
  record: SessionRecord,
  from: SessionStore | undefined,
  forks: SessionStore | undefined,
): Promise<void> {
  if (forks === undefined) {
    const message =
      'fork(): there is no store to put the new session into. Give the session `sessions`, or `forks`.';
    throw new AgentError('session-storage', message);
  }
  await copyBlobs(record, from, forks);
  try {
    await forks.save(record, { expectedVersion: 0 });
  } catch (thrown) {
    // A fork id is unique, so the session was saved before and the answer was lost.
    if (!isAgentError(thrown, 'session-conflict')) throw thrown;
  }
}
