import type { AgentDefinition } from '../agent/agent-definition.ts';
import type { Env } from '../graph/env.ts';
import type { AgentState } from '../graph/types.ts';
import { callSafely, type Listeners } from '../kit/listeners.ts';
import type { Mailbox } from '../kit/mailbox.ts';
import type { EffectLog } from '../run/effect-log.ts';
import type { AgentChange, AgentEvent } from '../run/events.ts';
import type { Ledger } from '../run/ledger.ts';
import type { Journal } from '../run/journal.ts';
import { loadConverterFor } from '../agent/json-schema-of.ts';
import { runOnJournal } from '../run/drive.ts';
import type {
  PersistenceState,
  SessionCommands,
  SessionPlace,
  SessionSettings,
  SnapshotStore,
  UnsentCommand,
} from './agent-session.ts';
import { type AttachingHandler, createAttachingHandler } from './attaching-handler.ts';
import { checkedInput } from './user-message.ts';
import type * as LinkEngine from './link/session-link.ts';
import { forkedRecord, saveFork } from './fork.ts';
import { createAnnouncement } from './hub.ts';
import { advance, reduce } from './machine/machine.ts';
import { unbegun } from './machine/queue.ts';
import { retriesAfter } from './machine/run-control.ts';
import { isCommand, isKept, type SessionInput } from './machine/session-input.ts';
import { type AgentLimits, hasWork, openTurns, type SessionModel } from './machine/session-model.ts';
import type { Transition } from './machine/transition.ts';
import { perform } from './perform.ts';
import { workOf } from './publishing/progress.ts';
import type { Publisher } from './publishing/publisher.ts';
import { queueOf, type Work } from './publishing/snapshot.ts';
import type { Replies } from './replies.ts';
import { createRunner, type SessionRunner } from './runner.ts';
import type { Saved } from './saving/plan-write.ts';
import type { SessionSaver } from './saving/session-saver.ts';
import { createUnstoredSaver } from './saving/unstored-saver.ts';
import { treeWithoutTransient, withoutTransientPlugins } from './saving/without-transient.ts';
import type { HeadChange } from './saving/writer.ts';
import { createSessionJournal, type SessionJournal } from './session-journal.ts';
import { checkpointBefore } from './stores/live-record.ts';
import { loadedSession } from './stores/loaded-session.ts';
import type { SessionLoad, SessionStore, StoredPast } from './stores/session-store.ts';
import type { LinkConnection } from './stores/tab-link.ts';
import { createLoneMembership } from './lone-membership.ts';
import type { Found, Membership } from './membership.ts';
import type * as StoringEngine from './storing-engine.ts';
import { createTakeUp, type Settled, type TakeUp } from './take-up.ts';
import type { Surroundings } from './watch-surroundings.ts';

/** The listeners of a session's events. */
export type EventListeners = Listeners<{ readonly event: AgentEvent; readonly state: AgentState }>;

/** The parts of a session that exist with the page, for its controller. */
export type ControllerOptions = {
  readonly env: Env;
  readonly effects: EffectLog | null;
  /** The principal to whom the session belongs; null in a page. */
  readonly owner: string | null;
  readonly ledger: Ledger | null;
  readonly sessions: SessionStore | undefined;
  /** The parts of a session with a store; null without one. */
  readonly storing: typeof StoringEngine | null;
  /** The link of tabs; null for a store that they do not share. */
  readonly link: typeof LinkEngine | null;
  /** The store of forks. */
  readonly forks: SessionStore | undefined;
  readonly initialState: AgentState | undefined;
  readonly id: () => string | null;
  readonly settings: () => SessionSettings;
  readonly model: SessionModel;
  readonly publisher: Publisher;
  readonly replies: Replies;
  readonly listeners: EventListeners;
  readonly session: SessionCommands & { readonly store: SnapshotStore };
  readonly mailbox: Mailbox<SessionInput>;
  /** Reads the stored session again. */
  readonly openAgain: (commandId: string | null) => void;
  /** Called when no work is active any more. */
  readonly onLeave: () => void;
};

/**
 * The controller of a session in use. Each input goes through the mailbox to a pure machine, whose effects it
 * performs. It owns the journal with the agent's state, and the parts that run, save and publish.
 */
export class SessionController {
  readonly env: Env;
  readonly effects: EffectLog | null;
  readonly owner: string | null;
  readonly ledger: Ledger | null;
  readonly sessions: SessionStore | undefined;
  readonly storing: typeof StoringEngine | null;
  readonly id: () => string | null;
  readonly settings: () => SessionSettings;
  readonly publisher: Publisher;
  readonly mailbox: Mailbox<SessionInput>;
  readonly post: (input: SessionInput) => void;
  readonly openAgain: (commandId: string | null) => void;
  readonly replies: Replies;
  readonly tabs: Membership;
  readonly journal: SessionJournal;
  readonly saver: SessionSaver;
  readonly runner: SessionRunner;
  readonly takeUp: TakeUp;
  readonly surroundings: Surroundings | null;
  readonly #options: ControllerOptions;
  readonly #attaching: AttachingHandler;
  readonly #announcement = createAnnouncement();
  #model: SessionModel;
  #callbacks: readonly (() => void)[] = [];

  constructor(options: ControllerOptions) {
    const { env, sessions, storing, initialState, mailbox, replies } = options;
    this.#options = options;
    this.#model = options.model;
    this.env = env;
    this.effects = options.effects;
    this.owner = options.owner;
    this.ledger = options.ledger;
    this.sessions = sessions;
    this.storing = storing;
    this.id = options.id;
    this.settings = options.settings;
    this.publisher = options.publisher;
    this.mailbox = mailbox;
    this.post = mailbox.post;
    this.openAgain = options.openAgain;
    this.tabs = storing?.createMembership(this, replies, options.link) ?? createLoneMembership(this, replies);
    this.replies = this.tabs.replies;
    this.journal = createSessionJournal({
      env,
      initialState,
      onJournal: (journal) => this.#announce(journal),
      onEvent: (event, state) => this.#hear(event, state),
      onChange: (before, event) => this.#noteCheckpoint(before, event),
    });
    this.saver = this.#createSaver();
    this.runner = createRunner(this, runOnJournal);
    // A run loads it too. Begun with the engine, it is there before the first message is sent.
    void loadConverterFor(this.agent);
    this.takeUp = createTakeUp(this);
    this.surroundings = storing?.watchSurroundings(this) ?? null;
    this.#attaching = createAttachingHandler(this);
  }

  get model(): SessionModel {
    return this.#model;
  }

  get state(): AgentState {
    return this.journal.state();
  }

  get agent(): AgentDefinition {
    return this.settings().agent;
  }

  get title(): string {
    return this.tabs.title();
  }

  get persistence(): PersistenceState {
    return this.tabs.persistence();
  }

  /** The limits of the agent that runs. */
  get limits(): AgentLimits {
    return this.tabs.limits() ?? this.agent;
  }

  /** The place where the session runs. */
  get where(): SessionPlace {
    const { phase, moved = null } = this.#model;
    if (moved !== null) return 'server';
    return phase === 'loading' && this.sessions !== undefined ? 'nobody' : this.tabs.where();
  }

  get connection(): LinkConnection {
    return this.tabs.connection();
  }

  get unsent(): readonly UnsentCommand[] {
    return this.tabs.unsent();
  }

  /** The current work of the run; null without one. */
  get work(): Work | null {
    return workOf(this.#model, this.state, this.agent);
  }

  /** True when no requested work is open or unsaved. */
  get isSettled(): boolean {
    const isIdle = !hasWork(this.#model) && !this.#attaching.isKeeping();
    return isIdle && this.tabs.isSettled() && this.saver.isSettled();
  }

  /** Resolves with the record of a read that is under way. */
  load(begun: Promise<SessionLoad | null>): Promise<Found> {
    return this.tabs.load(begun);
  }

  /** Resolves when all changes were written, or could not be, and a conflict is resolved. */
  settled(): Promise<Settled> {
    return this.takeUp.settled();
  }

  /** Takes an input: its files are stored first, and another tab may be the one that handles it. */
  handle(input: SessionInput): void {
    this.#attaching.handle(input);
  }

  /** Passes an input to the machine, performs its effects, and begins the next work. */
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

  /** Saves a new session that begins with the first `end` messages of a state. */
  async fork(state: AgentState, sessionId: string, end: number): Promise<void> {
    const { agent } = this;
    const saved = { ...this.#saved(), title: this.saver.title() };
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

  /** Ends subscriptions and timers, when no work is active any more. */
  leave(): void {
    this.surroundings?.end();
    this.#announcement.end();
    this.tabs.end();
    this.saver.close();
    this.#options.onLeave();
  }

  #work(given: SessionInput): void {
    const { agent, env, replies, journal, saver } = this;
    const input = checkedInput(given, { agent, env, replies });
    if (input === null) return;
    if (isCommand(input)) {
      if (input.type !== 'dispose') journal.begin();
      saver.nudge();
      // One that is refused for now is left to the next page.
      const { phase, isDisposed } = this.#model;
      if (isKept(input) && phase !== 'unreadable' && !isDisposed) saver.command(input.id);
    }
    this.#enter(reduce(this.#model, input, this.state, this.storing?.reduceOthers ?? null));
    // The tab that led took these commands, and may not have stored them.
    if (input.type === 'opened') openTurns(this.#model).forEach(({ id }) => saver.command(id));
    let before: SessionModel | null = null;
    while (before !== this.#model) {
      before = this.#model;
      this.#enter(advance(this.#model, this.state));
    }
  }

  #enter({ model, effects }: Transition): void {
    this.#model = model;
    for (const effect of effects) callSafely(() => perform(this, effect));
  }

  #touch(): void {
    this.publisher.touch();
    this.tabs.touch();
  }

  /** Saves and publishes an event of the journal and passes it to other tabs. */
  #hear(event: AgentEvent, state: AgentState): void {
    const { retrying: before } = this.#model;
    const retrying = retriesAfter(before, event);
    if (retrying !== before) this.post({ type: 'retrying', retrying });
    if (event.type === 'section-change' && event.erased !== undefined && event.path.length === 0)
      this.post({ type: 'texts-erased', ids: event.erased, state });
    this.saver.hear(event, state);
    this.publisher.touch();
    this.tabs.hear(event);
    this.#options.listeners.notify({ event, state });
    callSafely(() => this.settings().onEvent?.(event, state));
  }

  #noteCheckpoint(before: AgentState, event: AgentChange): void {
    const checkpoint = checkpointBefore(before, event, this.#model.tree.checkpoints.at(-1));
    if (checkpoint !== null) this.post({ type: 'checkpoint', checkpoint });
  }

  #announce(journal: Journal): void {
    this.#announcement.show({
      id: this.id() ?? '',
      name: this.agent.name,
      journal,
      budget: () => this.limits.budget,
      agent: () => this.agent,
      version: () => (this.tabs.limits() ?? { agentVersion: this.agent.version }).agentVersion,
      past: () => this.#past(),
      isRunning: () => this.work !== null,
      isFollowing: () => this.#model.isFollowing === true,
      snapshots: this.#options.session.store,
      commands: this.#options.session,
    });
    this.tabs.begin(journal);
    this.saver.begin(journal);
  }

  /** Reads the past from the store, or from its server. It writes first, so that no event is missing in between. */
  async #past(): Promise<StoredPast | null> {
    const { sessions } = this;
    const id = this.id() ?? '';
    if (sessions?.served !== undefined) return sessions.served.past(id);
    await this.saver.flush();
    const record = sessions === undefined ? null : loadedSession(await sessions.load(id));
    if (record === null) return null;
    const runs = (await sessions?.runs?.(id)) ?? [];
    return { runs, journal: { id: record.journal.id, base: record.state, events: record.journal.tail } };
  }

  #overtaken(): void {
    const { onConflict = 'rebase' } = this.settings();
    const policy = this.sessions?.fence === 'end' ? 'end' : onConflict;
    // While a conflict is being resolved, every write finds it again.
    if (this.#model.conflict?.phase !== 'reading')
      this.post({ type: 'overtaken', policy, forkId: this.env.id() });
  }

  /** Has the change of a head handled; false when the mailbox is closed, as while the stored session is read. */
  #takeHead(change: HeadChange): boolean {
    const input = { type: 'head-changed' as const, ...change };
    this.post(input);
    return !this.mailbox.waiting().includes(input);
  }

  #createSaver(): SessionSaver {
    const { env, sessions, storing } = this;
    const read = (): Saved => this.#saved();
    if (sessions === undefined || storing === null) return createUnstoredSaver({ read });
    return storing.createSessionSaver({
      env,
      sessions,
      read,
      onChange: () => this.#touch(),
      onWrite: () => this.tabs.cut(),
      onConflict: () => this.#overtaken(),
      onLate: () => this.openAgain(null),
      takeHead: (change) => this.#takeHead(change),
    });
  }

  #saved(): Saved {
    const { id, agent, state } = this;
    const { title, draft, tree, phase, moved: movedTo = null } = this.#model;
    const queue = queueOf(unbegun(this.#model));
    const isUnread = phase === 'unreadable';
    const { name: agentName, plugins } = agent;
    return { ...tree, id: id(), isUnread, agentName, plugins, state, title, queue, draft, movedTo };
  }
}
