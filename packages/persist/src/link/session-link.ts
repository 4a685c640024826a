import { createDeferred } from '@vitrine/core/internal/kit/async';
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
import type { SessionRecord } from '@vitrine/core/internal/session/store/session-store';
import type { LinkConnection, LinkedId, TabChannel } from '@vitrine/core/internal/session/store/tab-link';
import type { Transport } from './browser-tabs.ts';
import { createFollowedView, type FollowedView, type ShownView } from './followed-view.ts';
import { createLeader, type Leader } from './leader.ts';
import { knownJournals, type LinkParts } from './link-parts.ts';
import { isUnanswered, needsRead } from './outbox.ts';
import { type LinkMessage, unseal, seal } from './protocol.ts';
import { createRecordLog } from './record-log.ts';

export { transportOf } from './browser-tabs.ts';

type LinkOptions = Pick<LinkParts, 'session' | 'saver' | 'replies' | 'taken' | 'transport'>;

/**
 * The link between the runner of a session, the leader, and everybody who follows it and gives it commands. Tabs elect
 * the leader by a lock.
 */
export type SessionLink = {
  /** Resolves when the leader is known: true when this tab leads. */
  readonly join: () => Promise<boolean>;
  readonly isFollowing: () => boolean;
  /** True while this tab holds the lock and reads the store. */
  readonly isOpening: () => boolean;
  /**
   * True when an input is not for the machine of this tab: the leader gets it, or it waits for the
   * lock.
   */
  readonly takes: (input: SessionInput) => boolean;
  /** Called after the machine handled an input. */
  readonly onHandled: (input: SessionInput) => void;
  /** Called after the promise of a command settled. */
  readonly onSettled: (commandId: string) => void;
  readonly onEvent: (event: AgentEvent) => void;
  /** Notes that the view may have changed. */
  readonly touch: () => void;
  /** Notes that a new journal begins. */
  readonly begin: (journal: { readonly id: string; readonly base: AgentState }) => void;
  /** Notes that a write takes everything up to now, so that a message ends there. */
  readonly cut: () => void;
  /** The followed state when it is newer than the stored record; null otherwise. */
  readonly unstoredState: (record: SessionRecord | null) => AgentState | null;
  /** The title, the persistence and the limits of the leader; null when this tab leads. */
  readonly shownView: () => ShownView | null;
  /** The place where the session runs; nobody while the connection to it is lost. */
  readonly where: () => SessionPlace;
  /** The connection to the leader. Between tabs it is always open. */
  readonly connection: () => LinkConnection;
  /** The commands of this tab that wait for the connection. */
  readonly unsent: () => readonly UnsentCommand[];
  /** Requests the document again after a gap. */
  readonly requestDocument: () => void;
  /** False while a command of this tab has not reached the leader. */
  readonly isSettled: () => boolean;
  readonly whenKept: () => Promise<boolean>;
  /** Checks the store for commands of other tabs, and runs them when this tab leads. */
  readonly lookForCommands: () => void;
  /** Leaves the link; `isSilent` tells the others nothing more. */
  readonly end: (isSilent?: boolean) => void;
};

/**
 * The role of a tab: `opening` holds the lock and reads the store, `handing` is about to release
 * the lock.
 */
type TabRole = 'joining' | 'follower' | 'opening' | 'leader' | 'handing' | 'gone';

/** The role of this tab and its resources. */
type LocalTab = LinkParts & {
  role: TabRole;
  leader: Leader | null;
  /** True when another tab requested the lock for a command that only that tab can do. */
  isWanted: boolean;
  /** True when the commands of this tab wait until it leads and has read the session. */
  isHolding: boolean;
  /** Cancels the timer before stored commands are taken. */
  look: (() => void) | null;
  /** True while stored commands are being taken. */
  isTaking: boolean;
  connection: LinkConnection;
  giveBack: () => void;
  /** Requests the lock. @returns the function that gives it back */
  readonly lock: () => () => void;
  readonly view: FollowedView;
};

/**
 * The delay between a change notice of the store and the look for stored commands, in milliseconds.
 */
const lookMs = 500;

/** The part of a tab that is the same for all at their beginning. */
const joining = {
  role: 'joining',
  leader: null,
  isWanted: false,
  isHolding: false,
  isTaking: false,
  connection: 'open',
  look: null,
} as const;

export function createSessionLink(options: LinkOptions): SessionLink {
  const { session, saver, transport } = options;
  const joined = createDeferred<boolean>();
  const channel = transport.tabs.open(transport.name, (data) => receive(data, tab), {
    ...linkedId(session),
    onConnection: (connection) => connect(connection, tab),
  });
  const say = (message: LinkMessage): void => (tab.role === 'gone' ? undefined : channel.post(seal(message)));
  const parts: LinkParts = { ...options, journals: knownJournals(), records: createRecordLog(), say };
  const { journals, records } = parts;
  const view = createFollowedView(parts);
  const { outbox } = view;
  const lock = (): (() => void) => transport.tabs.lock(transport.name, onTurn);
  const tab: LocalTab = { ...parts, ...joining, lock, view, giveBack: () => undefined };

  function onTurn(isHeld: boolean): void {
    const { role } = tab;
    if (role !== 'joining' && (role !== 'follower' || !isHeld)) return;
    tab.role = isHeld ? 'opening' : 'follower';
    if (role === 'joining') saver.pause(!isHeld);
    void (role === 'joining' ? joined.resolve(isHeld) : session.openAgain(null));
  }

  return {
    join() {
      tab.giveBack = lock();
      return joined.promise;
    },
    isFollowing: () => tab.role === 'follower' || tab.role === 'handing',
    isOpening: () => tab.role === 'opening',
    takes(input) {
      // Writes wait until the record is read: the session may have been deleted and must not be
      // written anew.
      if (input.type === 'opened' && tab.role === 'opening') saver.pause(false);
      return tab.role !== 'gone' && takes(input, tab);
    },
    onHandled(input) {
      if (input.type === 'opened') wasRead(tab, input);
      if (input.type === 'followed') view.onFollowed(input);
      tab.leader?.broadcast.touch();
      handOver(tab);
    },
    onSettled: outbox.settle,
    onEvent(event) {
      records.onEvent(event);
      tab.leader?.broadcast.onEvent(event);
    },
    touch: () => tab.leader?.broadcast.touch(),
    begin(journal) {
      journals.begin(journal.id);
      records.begin(journal);
      tab.leader?.broadcast.renew();
    },
    cut() {
      const n = tab.leader?.broadcast.flush() ?? 0;
      // Also while nobody follows: somebody who comes back later has a place between two records.
      records.settle(saver.latest());
      records.cut({ state: session.state, n, branches: session.model.tree.branches });
    },
    unstoredState: view.unstoredState,
    shownView: () => (tab.role === 'leader' || tab.role === 'opening' ? null : view.shownView()),
    where: () => placeOf(tab, transport),
    connection: () => tab.connection,
    unsent: () => (tab.connection === 'open' ? nothing : notTaken(tab).flatMap(unsentOf)),
    requestDocument: view.requestDocument,
    whenKept: async () => tab.role === 'leader' || tab.role === 'opening' || outbox.whenKept(),
    lookForCommands() {
      // The store reports every write, also those of this tab, so the look is debounced.
      tab.look ??= session.env.schedule(lookMs, () => {
        tab.look = null;
        void takeStored(tab, false);
      });
    },
    isSettled: () => notTaken(tab).length === 0,
    end: (isSilent = false) => leave(tab, channel, isSilent),
  };
}

function receive(data: unknown, tab: LocalTab): void {
  const message = unseal(data);
  if (message === null || tab.role === 'gone') return;
  if (message.type !== 'wanted') return dispatch(message, tab);
  tab.isWanted = tab.role === 'leader';
  handOver(tab);
}

function connect(connection: LinkConnection, tab: LocalTab): void {
  tab.connection = connection;
  tab.session.publisher.touch();
}

/** The commands of this tab that no leader has taken. */
function notTaken({ view, taken }: LocalTab): readonly SessionCommand[] {
  return view.outbox.all().filter(({ id }) => !taken.ids().includes(id));
}

function leave(tab: LocalTab, channel: TabChannel, isSilent: boolean): void {
  const isGone = tab.role === 'gone';
  if (!isSilent) tab.leader?.broadcast.end();
  if (!isSilent && tab.role === 'follower') tab.view.leave();
  tab.role = 'gone';
  // The promises of a session that falls silent settle first.
  if (!isSilent) tab.view.end();
  if (isGone) return;
  tab.look?.();
  tab.giveBack();
  channel.close();
}

function placeOf({ role, view, connection }: LocalTab, { tabs }: Transport): SessionPlace {
  const isFollowing = role === 'follower' || role === 'joining';
  return isFollowing && !(view.isKnown() && connection === 'open') ? 'nobody' : (tabs.where ?? 'tab');
}

/** A command as a person knows it: what was sent, or the answers to calls. Others are not shown. */
function unsentOf(command: SessionCommand): readonly UnsentCommand[] {
  if (command.type === 'send') return [{ id: command.id, type: 'message', text: command.message.text }];
  return command.type === 'answer' ? [{ id: command.id, type: 'answer', text: '' }] : nothing;
}

function linkedId({ id, agent }: LinkParts['session']): LinkedId {
  return { sessionId: id() ?? '', agentName: agent.name };
}

/** Called after the stored session was read. */
function wasRead(tab: LocalTab, { takeover, resume }: OutcomeOf<'opened'>): void {
  if (tab.role === 'opening') run(tab, takeover === undefined && !resume);
  else if (tab.role === 'leader') takeWaiting(tab, false);
  else if (tab.role === 'follower') tab.view.begin();
}

function run(tab: LocalTab, isOpening: boolean): void {
  tab.role = 'leader';
  const term = tab.view.beginTerm();
  tab.leader = createLeader(term, tab);
  tab.say({ type: 'term', term });
  tab.isHolding = true;
  takeWaiting(tab, isOpening);
}

/** Takes the commands that wait in this tab and in the store. */
function takeWaiting(tab: LocalTab, isOpening: boolean): void {
  if (tab.isHolding) takeOwn(tab);
  void takeStored(tab, isOpening);
}

/**
 * Runs the commands of this tab that no leader has answered. A session that cannot be read keeps those that another tab
 * may do, or has done: to refuse them would not be true.
 */
function takeOwn(tab: LocalTab): void {
  const { leader, view, session } = tab;
  tab.isHolding = session.model.phase === 'unreadable';
  for (const command of view.outbox.all())
    if (!tab.isHolding || !needsRead(command)) leader?.receiver.takeOwn(command);
}

/** Takes the commands in the store. They leave the store once their effects are stored. */
async function takeStored(tab: LocalTab, isOpening: boolean): Promise<void> {
  const { leader, taken, session } = tab;
  // A session that cannot be read refuses all commands: they wait on.
  const isRunning = (): boolean =>
    tab.leader === leader && tab.role === 'leader' && session.model.phase === 'open';
  if (session.sessions?.outbox === undefined || leader === null || tab.isTaking || !isRunning()) return;
  tab.isTaking = true;
  // Those of this tab that were answered leave the store first.
  await tab.view.outbox.whenKept();
  await takeCommands(session, tab.saver, { taken, enter: leader.receiver.take, isRunning, isOpening });
  tab.isTaking = false;
}

/** Releases the lock to a tab that requested it, when no work is active here. */
function handOver(tab: LocalTab): void {
  const { session } = tab;
  if (tab.role !== 'leader' || !tab.isWanted || !isAtRest(session.model)) return;
  tab.isWanted = false;
  tab.role = 'handing';
  session.post({ type: 'followed', document: null, events: [], view: {} });
  void tab.saver.flush().then(() => stepDown(tab));
}

/** True when no work is active or scheduled, so another tab may take over the session. */
function isAtRest({ run, conflict, moves, retry }: SessionModel): boolean {
  return run === null && conflict?.phase !== 'reading' && moves.length === 0 && retry === null;
}

function stepDown(tab: LocalTab): void {
  if (tab.role !== 'handing') return;
  tab.leader?.broadcast.end();
  tab.saver.pause(true);
  [tab.leader, tab.role] = [null, 'follower'];
  tab.giveBack();
  tab.giveBack = tab.lock();
}

function dispatch(message: Exclude<LinkMessage, { type: 'wanted' }>, { role, leader, view }: LocalTab): void {
  if (message.type === 'hello') leader?.broadcast.greet(message);
  else if (message.type === 'bye') leader?.broadcast.leave(message.id);
  else if (message.type === 'command') {
    // A tab that hands over takes no command; the sender repeats it to the next leader.
    if (role === 'leader') leader?.receiver.take(message.command);
  }
  // An answer of a former leader is not taken: what it told may not be stored.
  else if (role !== 'follower') return;
  else if (message.type === 'lost') view.check();
  else if (message.type === 'problem') view.fail(message.error);
  else view.receive(message);
}

/** True when an input is sent to the leader or stored for it. */
function takes(given: SessionInput, tab: LocalTab): boolean {
  const { role, leader, view, taken, session } = tab;
  if (!isCommand(given) || given.type === 'dispose') return false;
  const input = role === 'follower' ? withRun(given, tab) : given;
  const isHere = role === 'leader' || role === 'opening';
  // It came before this session was closed: the next leader takes it.
  const { isDisposed } = session.model;
  if (isDisposed && input.type !== 'stop' && leader?.receiver.isAnswering(input.id) === true) return true;
  if (!isHere || !isUnanswered(input)) view.outbox.add(input);
  if (isHere) {
    // Another tab may do a command that this one refused because it cannot read the session.
    if (input.type !== 'set-draft' && session.model.phase !== 'unreadable') taken.add(input.id);
    return false;
  }
  view.outbox.keep(input);
  // Without a known leader the command stays in the outbox.
  if (role === 'follower' && view.isKnown()) view.outbox.send(input);
  return input.type !== 'set-draft';
}

/** A stop of a follower with the run that it is for: the one shown here, or that of the message sent last. */
function withRun(command: SessionCommand, { session, view }: LocalTab): SessionCommand {
  if (command.type !== 'stop' || command.turnId !== undefined) return command;
  const { state } = session;
  if (isOpen(state)) return { ...command, executionId: state.execution?.executionId ?? null };
  const sent = view.outbox.all().findLast(({ type }) => type !== 'stop' && type !== 'set-draft');
  return sent === undefined ? { ...command, executionId: null } : { ...command, turnId: sent.id };
}
