import type { AgentState } from '../../graph/types.ts';
import { createDeferred } from '../../kit/deferred.ts';
import type { AgentEvent } from '../../run/events.ts';
import type { PersistenceState } from '../agent-session.ts';
import { isCommand, type SessionInput } from '../machine/session-input.ts';
import type { SessionRecord } from '../stores/session-store.ts';
import { createFollowedView, type FollowedView } from './followed-view.ts';
import { type TakenCommands, takenCommands } from './desk.ts';
import { type KnownJournals, knownJournals } from './known-journals.ts';
import { createReign, type Reign } from './reign.ts';
import { isAtRest, type Role } from './role.ts';
import { isTold } from './tab-commands.ts';
import type { SessionTabsOptions } from './session-tabs-options.ts';
import { opened, sealed, type TabMessage } from './tab-message.ts';

/** What a session is among the tabs that have it open: one runs it, the others follow. */
export type SessionTabs = {
  /** Resolves when it is known who runs it: true when that is this one. */
  readonly join: () => Promise<boolean>;
  readonly isFollowing: () => boolean;
  /** The lock is here, and what is stored is read. */
  readonly isOpening: () => boolean;
  /** True when an input is not for the machine of this tab: it goes to the runner, or waits for the lock. */
  readonly takes: (input: SessionInput) => boolean;
  /** The machine is done with an input. */
  readonly handled: (input: SessionInput) => void;
  /** Who asked has been told. */
  readonly settled: (commandId: string) => void;
  readonly hear: (event: AgentEvent) => void;
  /** Something of what is shown may have changed. */
  readonly touch: () => void;
  /** A journal begins. */
  readonly begin: (journalId: string) => void;
  /** What was told here that follows what is stored; null when there is nothing. */
  readonly unstored: (record: SessionRecord | null) => AgentState | null;
  /** What the runner shows; null where this tab runs. */
  readonly shown: () => { readonly title: string; readonly persistence: PersistenceState } | null;
  /** Something is missing in what was told. */
  readonly lost: () => void;
  /** Leaves the others. */
  readonly end: () => void;
};

/** What a tab is at the moment, and what it has for that. */
type Seat = {
  role: Role;
  reign: Reign | null;
  /** Another tab has something to do that only it can. */
  isWanted: boolean;
  giveBack: () => void;
  readonly onTurn: (isHeld: boolean) => void;
  readonly view: FollowedView;
  readonly taken: TakenCommands;
  readonly journals: KnownJournals;
  readonly say: (message: TabMessage) => void;
};

export function createSessionTabs(options: SessionTabsOptions): SessionTabs {
  const { link, name, saver } = options;
  const [taken, journals, joined] = [takenCommands(), knownJournals(), createDeferred<boolean>()];
  const channel = link.open(name, hear);
  const say = (message: TabMessage): void =>
    seat.role === 'gone' ? undefined : channel.post(sealed(message));
  const view = createFollowedView({ ...options, taken, journals, say });
  const { outbox } = view;
  const rest = { reign: null, isWanted: false, giveBack: () => undefined };
  const seat: Seat = { ...rest, role: 'joining', onTurn, view, taken, journals, say };

  function onTurn(isHeld: boolean): void {
    const { role } = seat;
    if (role !== 'joining' && (role !== 'follower' || !isHeld)) return;
    seat.role = isHeld ? 'opening' : 'follower';
    if (role === 'joining') saver.pause(!isHeld);
    void (role === 'joining' ? joined.resolve(isHeld) : options.takeOver());
  }

  function hear(data: unknown): void {
    const message = opened(data);
    if (message === null || seat.role === 'gone') return;
    if (message.type !== 'wanted') return dispatch(message, seat);
    seat.isWanted = seat.role === 'runner';
    handOver(seat, options);
  }

  return {
    join() {
      seat.giveBack = link.lock(name, onTurn);
      return joined.promise;
    },
    isFollowing: () => seat.role === 'follower' || seat.role === 'handing',
    isOpening: () => seat.role === 'opening',
    takes(input) {
      // Not before it is taken up what is stored: it may have been deleted, and is not written anew.
      if (input.type === 'opened' && seat.role === 'opening') saver.pause(false);
      return seat.role !== 'gone' && takes(input, seat);
    },
    handled(input) {
      if (input.type === 'opened' && seat.role === 'opening') run(seat, options);
      else if (input.type === 'opened' && seat.role === 'follower') view.ask();
      seat.reign?.broadcast.touch();
      handOver(seat, options);
    },
    settled: outbox.settle,
    hear: (event) => seat.reign?.broadcast.hear(event),
    touch: () => seat.reign?.broadcast.touch(),
    begin(journalId) {
      journals.begin(journalId);
      seat.reign?.broadcast.renew();
    },
    unstored: view.unstored,
    shown: () => (seat.role === 'runner' || seat.role === 'opening' ? null : view.shown()),
    lost: view.ask,
    end() {
      if (seat.role === 'gone') return;
      seat.reign?.broadcast.end();
      seat.role = 'gone';
      outbox.end();
      seat.giveBack();
      channel.close();
    },
  };
}

function run(seat: Seat, options: SessionTabsOptions): void {
  const { view, taken, journals, say } = seat;
  seat.role = 'runner';
  const number = view.beginReign();
  const reign = createReign(number, { ...options, taken, journals, say });
  seat.reign = reign;
  say({ type: 'reign', reign: number });
  view.outbox.all().forEach(reign.desk.takeOwn);
}

/** Another tab has something to do that only it can: it gets the lock when nothing goes on here. */
function handOver(seat: Seat, options: SessionTabsOptions): void {
  if (seat.role !== 'runner' || !seat.isWanted || !isAtRest(options.model())) return;
  seat.isWanted = false;
  seat.role = 'handing';
  options.post({ type: 'followed', document: null, events: [], view: {} });
  void options.saver.flush().then(() => stepDown(seat, options));
}

function stepDown(seat: Seat, { saver, link, name }: SessionTabsOptions): void {
  if (seat.role !== 'handing') return;
  seat.reign?.broadcast.end();
  saver.pause(true);
  [seat.reign, seat.role] = [null, 'follower'];
  seat.giveBack();
  seat.giveBack = link.lock(name, seat.onTurn);
}

function dispatch(message: Exclude<TabMessage, { type: 'wanted' }>, { role, reign, view }: Seat): void {
  if (message.type === 'hello') reign?.broadcast.greet();
  else if (message.type === 'command') {
    // Who hands over takes nothing any more: it is sent again to the next runner.
    if (role === 'runner') reign?.desk.take(message.command);
  } else if (role === 'follower') view.hear(message);
  // A runner that is gone may still have answered.
  else if (message.type === 'answer') view.outbox.hear(message);
}

/** True when an input is sent to the runner, or is kept for it. */
function takes(input: SessionInput, { role, view, taken }: Seat): boolean {
  if (!isCommand(input) || input.type === 'dispose') return false;
  const isHere = role === 'runner' || role === 'opening';
  if (!isHere || !isTold(input)) view.outbox.add(input);
  if (isHere) {
    if (input.type !== 'set-draft') taken.add(input.id);
    return false;
  }
  // It is sent when there is somebody who can take it.
  if (role === 'follower' && view.isKnown()) view.outbox.send(input);
  return input.type !== 'set-draft';
}
