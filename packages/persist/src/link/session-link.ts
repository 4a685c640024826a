import { createDeferred } from '@vitrine/core/internal/kit/deferred';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import type { AgentEvent } from '@vitrine/core/internal/run/events';
import type { SessionPlace, UnsentCommand } from '@vitrine/core/internal/session/agent-session';
import { nothing } from '@vitrine/core/internal/kit/memoize';
import {
  isCommand,
  type OutcomeOf,
  type SessionCommand,
  type SessionInput,
} from '@vitrine/core/internal/session/machine/session-input';
import type { SessionModel } from '@vitrine/core/internal/session/machine/session-model';
import { isOpen } from '@vitrine/core/internal/session/machine/state-facts';
import { takeCommands } from '../session/stored-commands.ts';
import type { LinkConnection, TabChannel } from '@vitrine/core/internal/session/store/tab-link';
import { FollowedView, type ShownView } from './followed-view.ts';
import { Leader } from './leader.ts';
import { KnownJournals, type LinkParts } from './link-parts.ts';
import { isUnanswered, needsRead } from './outbox.ts';
import { type LinkMessage, unseal, seal } from './protocol.ts';
import { RecordLog } from './record-log.ts';

export { transportOf } from './browser-tabs.ts';

/** The role of a tab: `opening` holds the lock and reads the store, `handing` is about to release the lock. */
type TabRole = 'joining' | 'follower' | 'opening' | 'leader' | 'handing' | 'gone';

/** The delay between a change notice of the store and the look for stored commands, in milliseconds. */
const lookMs = 500;

/**
 * The link between the runner of a session, the leader, and everybody who follows it and gives it commands. Tabs elect
 * the leader by a lock.
 */
export class SessionLink {
  readonly view: FollowedView;
  readonly #parts: LinkParts;
  readonly #channel: TabChannel;
  readonly #joined = createDeferred<boolean>();
  #role: TabRole = 'joining';
  #leader: Leader | null = null;
  /** True when another tab requested the lock for a command that only that tab can do. */
  #isWanted = false;
  /** True when the commands of this tab wait until it leads and has read the session. */
  #isHolding = false;
  /** True while stored commands are being taken. */
  #isTaking = false;
  /** Cancels the timer before stored commands are taken. */
  #look: (() => void) | null = null;
  #connection: LinkConnection = 'open';
  #giveBack = (): void => undefined;

  constructor(options: Pick<LinkParts, 'session' | 'saver' | 'replies' | 'taken' | 'transport'>) {
    const { session, transport } = options;
    this.#channel = transport.tabs.open(transport.name, (data) => this.#receive(data), {
      sessionId: session.id() ?? '',
      agentName: session.agent.name,
      onConnection: (connection) => {
        this.#connection = connection;
        session.publisher.touch();
      },
    });
    const say = (message: LinkMessage): void =>
      this.#role === 'gone' ? undefined : this.#channel.post(seal(message));
    this.#parts = { ...options, journals: new KnownJournals(), records: new RecordLog(), say };
    this.view = new FollowedView(this.#parts);
  }

  /** Resolves when the leader is known: true when this tab leads. */
  join(): Promise<boolean> {
    this.#giveBack = this.#lock();
    return this.#joined.promise;
  }

  get isFollowing(): boolean {
    return this.#role === 'follower' || this.#role === 'handing';
  }

  /** True while this tab holds the lock and reads the store. */
  get isOpening(): boolean {
    return this.#role === 'opening';
  }

  /** True while this tab leads, or is about to. */
  get #isHere(): boolean {
    return this.#role === 'leader' || this.#role === 'opening';
  }

  /** The title, the persistence and the limits of the leader; null when this tab leads. */
  get shownView(): ShownView | null {
    return this.#isHere ? null : this.view.shown;
  }

  /** The place where the session runs; nobody while the connection to it is lost. */
  get where(): SessionPlace {
    const isFollowing = this.#role === 'follower' || this.#role === 'joining';
    const isLost = isFollowing && !(this.view.isKnown && this.#connection === 'open');
    return isLost ? 'nobody' : (this.#parts.transport.tabs.where ?? 'tab');
  }

  /** The connection to the leader. Between tabs it is always open. */
  get connection(): LinkConnection {
    return this.#connection;
  }

  /** The commands of this tab that wait for the connection. */
  get unsent(): readonly UnsentCommand[] {
    return this.#connection === 'open' ? nothing : this.#notTaken().flatMap(unsentOf);
  }

  /** False while a command of this tab has not reached the leader. */
  get isSettled(): boolean {
    return this.#notTaken().length === 0;
  }

  /** Resolves when the unanswered commands of this tab are in the store: false when they are not. */
  async whenKept(): Promise<boolean> {
    return this.#isHere || this.view.outbox.whenKept();
  }

  /** True when an input is not for the machine of this tab: the leader gets it, or it waits for the lock. */
  takes(given: SessionInput): boolean {
    const { view } = this;
    const { saver, taken, session } = this.#parts;
    // Writes wait until the record is read: the session may have been deleted and must not be written anew.
    if (given.type === 'opened' && this.isOpening) saver.isPaused = false;
    if (this.#role === 'gone' || !isCommand(given) || given.type === 'dispose') return false;
    const input = this.#role === 'follower' ? this.#withRun(given) : given;
    // It came before this session was closed: the next leader takes it.
    const { isDisposed, phase } = session.model;
    if (isDisposed && input.type !== 'stop' && this.#leader?.isAnswering(input.id) === true) return true;
    if (!this.#isHere || !isUnanswered(input)) view.outbox.add(input);
    if (this.#isHere) {
      // Another tab may do a command that this one refused because it cannot read the session.
      if (input.type !== 'set-draft' && phase !== 'unreadable') taken.add(input.id);
      return false;
    }
    view.outbox.keep(input);
    // Without a known leader the command stays in the outbox.
    if (this.#role === 'follower' && view.isKnown) view.outbox.send(input);
    return input.type !== 'set-draft';
  }

  onHandled(input: SessionInput): void {
    if (input.type === 'opened') this.#onRead(input);
    if (input.type === 'followed') this.view.onFollowed(input);
    this.touch();
    this.#handOver();
  }

  onEvent(event: AgentEvent): void {
    this.#parts.records.onEvent(event);
    this.#leader?.onEvent(event);
  }

  /** Notes that the view may have changed. */
  touch(): void {
    this.#leader?.touch();
  }

  begin(journal: { readonly id: string; readonly base: AgentState }): void {
    const { journals, records } = this.#parts;
    journals.begin(journal.id);
    records.begin(journal);
    this.#leader?.renew();
  }

  /** Notes that a write takes everything up to now, so that a message ends there. */
  cut(): void {
    const { records, saver, session } = this.#parts;
    const n = this.#leader?.flush() ?? 0;
    // Also while nobody follows: somebody who comes back later has a place between two records.
    records.settle(saver.writer.latest);
    records.cut({ state: session.state, n }, session.model.tree.branches);
  }

  /** Checks the store for commands of other tabs, and runs them when this tab leads. */
  lookForCommands(): void {
    // The store reports every write, also those of this tab, so the look is debounced.
    this.#look ??= this.#parts.session.env.schedule(lookMs, () => {
      this.#look = null;
      void this.#takeStored(false);
    });
  }

  /** Leaves the link; `isSilent` tells the others nothing more. */
  end(isSilent = false): void {
    const isGone = this.#role === 'gone';
    if (!isSilent) this.#leader?.end();
    if (!isSilent && this.#role === 'follower') this.view.leave();
    this.#role = 'gone';
    // The promises of a session that falls silent settle first.
    if (!isSilent) this.view.end();
    if (isGone) return;
    this.#look?.();
    this.#giveBack();
    this.#channel.close();
  }

  /** Requests the lock. @returns the function that gives it back */
  #lock(): () => void {
    const { tabs, name } = this.#parts.transport;
    return tabs.lock(name, (isHeld) => this.#onTurn(isHeld));
  }

  #onTurn(isHeld: boolean): void {
    const { saver, session } = this.#parts;
    const role = this.#role;
    if (role !== 'joining' && (role !== 'follower' || !isHeld)) return;
    this.#role = isHeld ? 'opening' : 'follower';
    if (role !== 'joining') return session.openAgain(null);
    saver.isPaused = !isHeld;
    this.#joined.resolve(isHeld);
  }

  #receive(data: unknown): void {
    const message = unseal(data);
    const [role, leader, view] = [this.#role, this.#leader, this.view];
    if (message === null || role === 'gone') return;
    if (message.type === 'wanted') {
      this.#isWanted = role === 'leader';
      this.#handOver();
    } else if (message.type === 'hello') leader?.greet(message);
    else if (message.type === 'bye') leader?.leave(message.id);
    else if (message.type === 'command') {
      // A tab that hands over takes no command; the sender repeats it to the next leader.
      if (role === 'leader') leader?.take(message.command);
    }
    // An answer of a former leader is not taken: what it told may not be stored.
    else if (role !== 'follower') return;
    else if (message.type === 'lost') view.check();
    else if (message.type === 'problem') view.fail(message.error);
    else view.receive(message);
  }

  /** The commands of this tab that no leader has taken. */
  #notTaken(): readonly SessionCommand[] {
    return this.view.outbox.all.filter(({ id }) => !this.#parts.taken.ids.includes(id));
  }

  #onRead({ takeover, resume }: OutcomeOf<'opened'>): void {
    if (this.isOpening) this.#lead(takeover === undefined && !resume);
    else if (this.#role === 'leader') this.#takeWaiting(false);
    else if (this.#role === 'follower') this.view.begin();
  }

  #lead(isOpening: boolean): void {
    this.#role = 'leader';
    const term = this.view.beginTerm();
    this.#leader = new Leader(term, this.#parts);
    this.#parts.say({ type: 'term', term });
    this.#isHolding = true;
    this.#takeWaiting(isOpening);
  }

  #takeWaiting(isOpening: boolean): void {
    if (this.#isHolding) this.#takeOwn();
    void this.#takeStored(isOpening);
  }

  /**
   * Runs the commands of this tab that no leader has answered. A session that cannot be read keeps those that another tab
   * may do, or has done: to refuse them would not be true.
   */
  #takeOwn(): void {
    this.#isHolding = this.#parts.session.model.phase === 'unreadable';
    for (const command of this.view.outbox.all)
      if (!this.#isHolding || !needsRead(command)) this.#leader?.takeOwn(command);
  }

  /** Takes the commands in the store. They leave the store once their effects are stored. */
  async #takeStored(isOpening: boolean): Promise<void> {
    const { taken, session, saver } = this.#parts;
    const leader = this.#leader;
    // A session that cannot be read refuses all commands: they wait on.
    const isRunning = (): boolean =>
      this.#leader === leader && this.#role === 'leader' && session.model.phase === 'open';
    if (session.sessions?.outbox === undefined || leader === null || this.#isTaking || !isRunning()) return;
    this.#isTaking = true;
    // Those of this tab that were answered leave the store first.
    await this.view.outbox.whenKept();
    await takeCommands(session, saver.queue, {
      taken,
      enter: (command) => leader.take(command),
      isRunning,
      isOpening,
    });
    this.#isTaking = false;
  }

  /** Releases the lock to a tab that requested it, when no work is active here. */
  #handOver(): void {
    const { session, saver } = this.#parts;
    if (this.#role !== 'leader' || !this.#isWanted || !isAtRest(session.model)) return;
    this.#isWanted = false;
    this.#role = 'handing';
    session.post({ type: 'followed', document: null, events: [], view: {} });
    void saver.queue.flush().then(() => this.#stepDown());
  }

  #stepDown(): void {
    const { session, saver } = this.#parts;
    if (this.#role !== 'handing') return;
    this.#leader?.end();
    session.endLife();
    saver.isPaused = true;
    [this.#leader, this.#role] = [null, 'follower'];
    this.#giveBack();
    this.#giveBack = this.#lock();
  }

  /** A stop of a follower with the run that it is for: the one shown here, or that of the message sent last. */
  #withRun(command: SessionCommand): SessionCommand {
    if (command.type !== 'stop' || command.turnId !== undefined) return command;
    const { state } = this.#parts.session;
    if (isOpen(state)) return { ...command, executionId: state.execution?.executionId ?? null };
    const sent = this.view.outbox.all.findLast(({ type }) => type !== 'stop' && type !== 'set-draft');
    return sent === undefined ? { ...command, executionId: null } : { ...command, turnId: sent.id };
  }
}

/** A command as a person knows it: what was sent, or the answers to calls. Others are not shown. */
function unsentOf(command: SessionCommand): readonly UnsentCommand[] {
  if (command.type === 'send') return [{ id: command.id, type: 'message', text: command.message.text }];
  return command.type === 'answer' ? [{ id: command.id, type: 'answer', text: '' }] : nothing;
}

/** True when no work is active or scheduled, so another tab may take over the session. */
function isAtRest({ run, conflict, moves, retry }: SessionModel): boolean {
  return run === null && conflict?.phase !== 'reading' && moves.length === 0 && retry === null;
}
