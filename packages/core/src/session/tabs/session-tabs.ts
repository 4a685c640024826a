import type { AgentState } from '../../graph/types.ts';
import { createDeferred } from '../../kit/deferred.ts';
import type { AgentEvent } from '../../run/events.ts';
import type { PersistenceState } from '../agent-session.ts';
import { isCommand, type SessionInput } from '../session-input.ts';
import type { SessionRecord } from '../stores/session-store.ts';
import { createFollowedView, type FollowedView } from './followed-view.ts';
import { type TakenCommands, takenCommands } from './desk.ts';
import { knownJournals } from './known-journals.ts';
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

export function createSessionTabs(options: SessionTabsOptions): SessionTabs {
  const { link, name, model, saver } = options;
  let role: Role = 'joining';
  let reign: Reign | null = null;
  let isWanted = false;
  const taken = takenCommands();
  const journals = knownJournals();
  const joined = createDeferred<boolean>();
  const channel = link.open(name, hear);
  const say = (message: TabMessage): void => (role === 'gone' ? undefined : channel.post(sealed(message)));
  const view = createFollowedView({ ...options, taken, journals, say });
  const { outbox } = view;
  let giveBack = (): void => undefined;

  function onTurn(isHeld: boolean): void {
    if (role !== 'joining' && (role !== 'follower' || !isHeld)) return;
    const isFirst = role === 'joining';
    role = isHeld ? 'opening' : 'follower';
    saver.pause(!isHeld);
    void (isFirst ? joined.resolve(isHeld) : options.takeOver());
  }

  function run(): void {
    role = 'runner';
    const number = view.beginReign();
    reign = createReign(number, { ...options, taken, journals, say });
    say({ type: 'reign', reign: number });
    for (const command of outbox.all()) reign.desk.takeOwn(command);
  }

  /** Another tab has something to do that only it can: it gets the lock when nothing goes on here. */
  function handOver(): void {
    if (role !== 'runner' || !isWanted || !isAtRest(model())) return;
    isWanted = false;
    role = 'handing';
    options.post({ type: 'followed', document: null, events: [], view: {} });
    void saver.flush().then(stepDown);
  }

  function stepDown(): void {
    if (role !== 'handing') return;
    reign?.broadcast.end();
    saver.pause(true);
    [reign, role] = [null, 'follower'];
    giveBack();
    giveBack = link.lock(name, onTurn);
  }

  function hear(data: unknown): void {
    const message = opened(data);
    if (message === null || role === 'gone') return;
    if (message.type !== 'wanted') return dispatch(message, { role, reign, view });
    isWanted = role === 'runner';
    handOver();
  }

  return {
    join() {
      giveBack = link.lock(name, onTurn);
      return joined.promise;
    },
    isFollowing: () => role === 'follower' || role === 'handing',
    isOpening: () => role === 'opening',
    takes: (input) => role !== 'gone' && takes(input, { role, view, taken }),
    handled(input) {
      if (input.type === 'opened' && role === 'opening') run();
      else if (input.type === 'opened' && role === 'follower') view.ask();
      reign?.broadcast.touch();
      handOver();
    },
    settled: outbox.settle,
    hear: (event) => reign?.broadcast.hear(event),
    touch: () => reign?.broadcast.touch(),
    begin: journals.begin,
    unstored: view.unstored,
    shown: () => (role === 'runner' || role === 'opening' ? null : view.shown()),
    lost: view.ask,
    end() {
      if (role === 'gone') return;
      reign?.broadcast.end();
      role = 'gone';
      outbox.end();
      giveBack();
      channel.close();
    },
  };
}

type Seat = { readonly role: Role; readonly reign: Reign | null; readonly view: FollowedView };

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
function takes(
  input: SessionInput,
  { role, view, taken }: { role: Role; view: FollowedView; taken: TakenCommands },
): boolean {
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
