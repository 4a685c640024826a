import type { SessionTabsOptions } from './session-tabs-options.ts';
import type { AgentState } from '../../graph/types.ts';
import { isCommand, type SessionInput } from '../machine/session-input.ts';
import { createDeferred } from '../../kit/async.ts';
import type { AgentEvent } from '../../run/events.ts';
import type { PersistenceState } from '../agent-session.ts';
import type { SessionRecord } from '../stores/session-store.ts';
import { createFollowedView, type FollowedView, type KnownJournals, knownJournals } from './follower.ts';
import { takeCommands, type TakenCommands, takenCommands } from './command-receiver.ts';
import { createLeadership, isAtRest, type Leadership, type TabRole } from './leadership.ts';
import { isTold, needsRead } from './outbox.ts';
import { opened, sealed, type TabMessage } from './broadcast.ts';

/**
 * The link between the tabs of one session: one tab leads (runs the session), the others follow.
 */
export type SessionTabs = {
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
  readonly handled: (input: SessionInput) => void;
  /** Called after the promise of a command settled. */
  readonly settled: (commandId: string) => void;
  readonly hear: (event: AgentEvent) => void;
  /** Notes that the view may have changed. */
  readonly touch: () => void;
  /** Notes that a new journal begins. */
  readonly begin: (journalId: string) => void;
  /** The followed state when it is newer than the stored record; null otherwise. */
  readonly unstored: (record: SessionRecord | null) => AgentState | null;
  /** The title and the persistence of the leader; null when this tab leads. */
  readonly shown: () => { readonly title: string; readonly persistence: PersistenceState } | null;
  /** Requests the document again after a gap. */
  readonly lost: () => void;
  /** False while a command of this tab has not reached the leader. */
  readonly isSettled: () => boolean;
  /** Adds ids of commands that any tab took before. */
  readonly learn: (taken: readonly string[]) => void;
  readonly kept: () => Promise<boolean>;
  /** Checks the store for commands of other tabs, and runs them when this tab leads. */
  readonly lookForCommands: () => void;
  /** Leaves the link. */
  readonly end: () => void;
};

/** The role of this tab and its resources. */
type LocalTab = {
  role: TabRole;
  leadership: Leadership | null;
  /** True when another tab requested the lock for a command that only that tab can do. */
  isWanted: boolean;
  /** True when the commands of this tab wait until it leads and has read the session. */
  isHolding: boolean;
  /** Cancels the timer before stored commands are taken. */
  look: (() => void) | null;
  /** True while stored commands are being taken. */
  isTaking: boolean;
  giveBack: () => void;
  readonly onTurn: (isHeld: boolean) => void;
  readonly view: FollowedView;
  readonly taken: TakenCommands;
  readonly journals: KnownJournals;
  readonly say: (message: TabMessage) => void;
};

/**
 * The delay between a change notice of the store and the look for stored commands, in milliseconds.
 */
const lookMs = 500;

export function createSessionTabs(options: SessionTabsOptions): SessionTabs {
  const { link, name, saver } = options;
  const [taken, journals, joined] = [takenCommands(), knownJournals(), createDeferred<boolean>()];
  const channel = link.open(name, hear);
  const say = (message: TabMessage): void =>
    tab.role === 'gone' ? undefined : channel.post(sealed(message));
  const view = createFollowedView({ ...options, taken, journals, say });
  const { outbox } = view;
  const rest = { leadership: null, isWanted: false, isHolding: false, isTaking: false, look: null };
  const parts = { onTurn, view, taken, journals, say, giveBack: () => undefined };
  const tab: LocalTab = { ...rest, ...parts, role: 'joining' };

  function onTurn(isHeld: boolean): void {
    const { role } = tab;
    if (role !== 'joining' && (role !== 'follower' || !isHeld)) return;
    tab.role = isHeld ? 'opening' : 'follower';
    if (role === 'joining') saver.pause(!isHeld);
    void (role === 'joining' ? joined.resolve(isHeld) : options.takeOver());
  }

  function hear(data: unknown): void {
    const message = opened(data);
    if (message === null || tab.role === 'gone') return;
    if (message.type !== 'wanted') return dispatch(message, tab);
    tab.isWanted = tab.role === 'leader';
    handOver(tab, options);
  }

  return {
    join() {
      tab.giveBack = link.lock(name, onTurn);
      return joined.promise;
    },
    isFollowing: () => tab.role === 'follower' || tab.role === 'handing',
    isOpening: () => tab.role === 'opening',
    takes(input) {
      // Writes wait until the record is read: the session may have been deleted and must not be
      // written anew.
      if (input.type === 'opened' && tab.role === 'opening') saver.pause(false);
      return tab.role !== 'gone' && takes(input, tab, options);
    },
    handled(input) {
      if (input.type === 'opened' && tab.role === 'opening')
        run(tab, options, input.takeover === undefined && !input.resume);
      else if (input.type === 'opened' && tab.role === 'leader') takeWaiting(tab, options, false);
      else if (input.type === 'opened' && tab.role === 'follower') view.ask();
      tab.leadership?.broadcast.touch();
      handOver(tab, options);
    },
    settled: outbox.settle,
    hear: (event) => tab.leadership?.broadcast.hear(event),
    touch: () => tab.leadership?.broadcast.touch(),
    begin(journalId) {
      journals.begin(journalId);
      tab.leadership?.broadcast.renew();
    },
    unstored: view.unstored,
    shown: () => (tab.role === 'leader' || tab.role === 'opening' ? null : view.shown()),
    lost: view.ask,
    learn: (ids) => taken.add(...ids),
    kept: async () => tab.role === 'leader' || tab.role === 'opening' || outbox.kept(),
    lookForCommands() {
      // The store reports every write, also those of this tab, so the look is debounced.
      tab.look ??= options.env.schedule(lookMs, () => {
        tab.look = null;
        void takeStored(tab, options, false);
      });
    },
    isSettled: () => outbox.all().every(({ id }) => taken.ids().includes(id)),
    end() {
      if (tab.role === 'gone') return;
      tab.leadership?.broadcast.end();
      tab.role = 'gone';
      tab.look?.();
      view.end();
      tab.giveBack();
      channel.close();
    },
  };
}

function run(tab: LocalTab, options: SessionTabsOptions, isOpening: boolean): void {
  const { view, taken, journals, say } = tab;
  tab.role = 'leader';
  const term = view.beginTerm();
  const leadership = createLeadership(term, { ...options, taken, journals, say });
  tab.leadership = leadership;
  say({ type: 'term', term });
  tab.isHolding = true;
  takeWaiting(tab, options, isOpening);
}

/** Takes the commands that wait in this tab and in the store. */
function takeWaiting(tab: LocalTab, options: SessionTabsOptions, isOpening: boolean): void {
  if (tab.isHolding) takeOwn(tab, options);
  void takeStored(tab, options, isOpening);
}

/**
 * Runs the commands of this tab that no leader has answered. A session that cannot be read keeps those that another tab
 * may do, or has done: to refuse them would not be true.
 */
function takeOwn(tab: LocalTab, { model }: SessionTabsOptions): void {
  const { leadership, view } = tab;
  tab.isHolding = model().phase === 'unreadable';
  for (const command of view.outbox.all())
    if (!tab.isHolding || !needsRead(command)) leadership?.receiver.takeOwn(command);
}

/** Takes the commands in the store. They leave the store once their effects are stored. */
async function takeStored(tab: LocalTab, options: SessionTabsOptions, isOpening: boolean): Promise<void> {
  const { outbox, sessionId, saver, state } = options;
  const { leadership, taken } = tab;
  // A session that cannot be read refuses all commands: they wait on.
  const isRunning = (): boolean =>
    tab.leadership === leadership && tab.role === 'leader' && options.model().phase === 'open';
  if (outbox === null || leadership === null || tab.isTaking || !isRunning()) return;
  tab.isTaking = true;
  // Those of this tab that were answered leave the store first.
  await tab.view.outbox.kept();
  const { flush } = saver;
  const enter = leadership.receiver.take;
  await takeCommands({ outbox, sessionId, taken, state, flush, enter, isRunning, isOpening });
  tab.isTaking = false;
}

/** Releases the lock to a tab that requested it, when no work is active here. */
function handOver(tab: LocalTab, options: SessionTabsOptions): void {
  if (tab.role !== 'leader' || !tab.isWanted || !isAtRest(options.model())) return;
  tab.isWanted = false;
  tab.role = 'handing';
  options.post({ type: 'followed', document: null, events: [], view: {} });
  void options.saver.flush().then(() => stepDown(tab, options));
}

function stepDown(tab: LocalTab, { saver, link, name }: SessionTabsOptions): void {
  if (tab.role !== 'handing') return;
  tab.leadership?.broadcast.end();
  saver.pause(true);
  [tab.leadership, tab.role] = [null, 'follower'];
  tab.giveBack();
  tab.giveBack = link.lock(name, tab.onTurn);
}

function dispatch(
  message: Exclude<TabMessage, { type: 'wanted' }>,
  { role, leadership, view }: LocalTab,
): void {
  if (message.type === 'hello') leadership?.broadcast.greet(message.have);
  else if (message.type === 'command') {
    // A tab that hands over takes no command; the sender repeats it to the next leader.
    if (role === 'leader') leadership?.receiver.take(message.command);
  } else if (role === 'follower') view.hear(message);
  // A former leader may still have answered.
  else if (message.type === 'answer') view.outbox.hear(message);
}

/** True when an input is sent to the leader or stored for it. */
function takes(input: SessionInput, tab: LocalTab, { model }: SessionTabsOptions): boolean {
  const { role, leadership, view, taken } = tab;
  if (!isCommand(input) || input.type === 'dispose') return false;
  const isHere = role === 'leader' || role === 'opening';
  // It came before this session was closed: the next leader takes it.
  if (model().isDisposed && input.type !== 'stop' && leadership?.receiver.isAnswering(input.id) === true)
    return true;
  if (!isHere || !isTold(input)) view.outbox.add(input);
  if (isHere) {
    // Another tab may do a command that this one refused because it cannot read the session.
    if (input.type !== 'set-draft' && model().phase !== 'unreadable') taken.add(input.id);
    return false;
  }
  view.outbox.keep(input);
  // Without a known leader the command stays in the outbox.
  if (role === 'follower' && view.isKnown()) view.outbox.send(input);
  return input.type !== 'set-draft';
}
