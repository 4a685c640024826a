import type { AgentState } from '../../graph/types.ts';
import { createDeferred } from '../../kit/deferred.ts';
import type { Env } from '../../graph/env.ts';
import type { AgentEvent } from '../../run/events.ts';
import type { PersistenceState } from '../agent-session.ts';
import { newTurn } from '../new-turn.ts';
import { plainInfo } from '../refused.ts';
import { type Replies, toThrown } from '../replies.ts';
import type { SessionSaver } from '../saving/session-saver.ts';
import { isCommand, type SessionCommand, type SessionInput } from '../session-input.ts';
import type { SessionModel } from '../session-model.ts';
import type { SessionRecord } from '../stores/session-store.ts';
import { type Broadcast, createBroadcast } from './broadcast.ts';
import { createDesk, type Desk, takenCommands } from './desk.ts';
import { createFollower, type Followed } from './follower.ts';
import { isAhead } from './is-ahead.ts';
import { isRunning, isTold, kindOf } from './tab-commands.ts';
import type { TabLink } from './tab-link.ts';
import { opened, sealed, type TabDocument, type TabMessage } from './tab-message.ts';
import { mirrorOf, type TabView } from './tab-view.ts';

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

export type SessionTabsOptions = {
  readonly env: Env;
  readonly link: TabLink;
  /** The lock and the channel of this session. */
  readonly name: string;
  readonly agentVersion: () => string | null;
  readonly model: () => SessionModel;
  readonly state: () => AgentState;
  readonly saver: Pick<SessionSaver, 'flush' | 'pause' | 'title' | 'persistence'>;
  readonly replies: Replies;
  readonly post: (input: SessionInput) => void;
  /** The lock is here: reads what is stored and goes on. */
  readonly takeOver: () => void;
};

type Role = 'joining' | 'follower' | 'opening' | 'runner' | 'handing' | 'gone';

export function createSessionTabs(options: SessionTabsOptions): SessionTabs {
  const { env, link, name, model, state, saver, replies, post } = options;
  let role: Role = 'joining';
  let reign: { readonly broadcast: Broadcast; readonly desk: Desk } | null = null;
  let view: TabView | null = null;
  let journals: readonly string[] = [];
  let isWanted = false;
  /** What the runner is, is known. */
  let isKnown = false;
  /** What was asked for here and is not answered. */
  const pending = new Map<string, SessionCommand>();
  const taken = takenCommands();
  const joined = createDeferred<boolean>();
  const channel = link.open(name, hear);
  let giveBack = (): void => undefined;
  let follower = followerAfter(0);

  function followerAfter(last: number): ReturnType<typeof createFollower> {
    return createFollower({ reign: last, post: say, onFollowed, onAnswer, onReign });
  }

  function say(message: TabMessage): void {
    channel.post(sealed(message));
  }

  function ask(): void {
    giveBack = link.lock(name, onTurn);
  }

  function onTurn(isHeld: boolean): void {
    if (role === 'joining') {
      role = isHeld ? 'opening' : 'follower';
      saver.pause(!isHeld);
      joined.resolve(isHeld);
    } else if (isHeld && role === 'follower') {
      role = 'opening';
      saver.pause(false);
      options.takeOver();
    }
  }

  function onReign(): void {
    isKnown = false;
  }

  function document(): TabDocument {
    const [journalId = '', ...earlier] = [...journals].reverse();
    const shown = { shownTitle: saver.title(), persistence: saver.persistence() };
    const facts = { ...shown, agentVersion: options.agentVersion(), taken: taken.ids() };
    return {
      journalId,
      earlier: earlier.reverse(),
      state: state(),
      view: { ...mirrorOf(model()), ...facts },
    };
  }

  function run(): void {
    role = 'runner';
    // Later than all that were heard of, also where none was.
    const number = Math.max(follower.reign() + 1, env.now());
    const broadcast = createBroadcast({ env, reign: number, document, post: say });
    const desk = createDesk({ reign: number, model, state, taken, replies, broadcast, post, say });
    reign = { broadcast, desk };
    follower.end();
    follower = followerAfter(number);
    say({ type: 'reign', reign: number });
    for (const command of [...pending.values()]) desk.takeOwn(command);
  }

  /** Another tab has something to do that only it can: it gets the lock when nothing goes on here. */
  function handOver(): void {
    const { run: active, moves, retry } = model();
    if (role !== 'runner' || !isWanted || active !== null || moves.length > 0 || retry !== null) return;
    isWanted = false;
    role = 'handing';
    isKnown = false;
    post({ type: 'followed', document: null, events: [], view: {} });
    void saver.flush().then(() => {
      if (role !== 'handing') return;
      reign?.broadcast.flush();
      saver.pause(true);
      reign = null;
      role = 'follower';
      giveBack();
      ask();
    });
  }

  function onFollowed(followed: Followed): void {
    if (followed.document !== null) {
      const { earlier, journalId } = followed.document;
      journals = [...journals.filter((id) => id !== journalId && !earlier.includes(id)), ...earlier];
    }
    view = { ...(followed.document?.view ?? (view as TabView)), ...followed.view };
    taken.add(...view.taken);
    // What is typed here is not overwritten by what was typed before.
    const isTyping = [...pending.values()].some(({ type }) => type === 'set-draft');
    const { draft, ...rest } = followed.view;
    const shown = isTyping || draft === undefined ? rest : { ...rest, draft };
    post({ type: 'followed', ...followed, view: shown });
    if (isKnown) return;
    isKnown = true;
    for (const command of [...pending.values()]) send(command);
  }

  function onAnswer({ commandId, turn, error }: Extract<TabMessage, { readonly type: 'answer' }>): void {
    if (!pending.delete(commandId)) return;
    if (error === null) replies.resolve(commandId, turn);
    else replies.reject(commandId, toThrown(error));
  }

  /** A function cannot travel, and a run is the matter of the agent that was asked. */
  function needsLock(command: SessionCommand): boolean {
    const isOther = view !== null && view.agentVersion !== options.agentVersion();
    return command.type === 'update' || (isOther && isRunning(command));
  }

  function send(command: SessionCommand): void {
    // It is sent when there is somebody who can take it.
    if (!isKnown) return;
    if (needsLock(command)) return say({ type: 'wanted' });
    try {
      say({ type: 'command', command });
    } catch (thrown) {
      // It holds something that cannot be copied.
      pending.delete(command.id);
      replies.refuse([command], plainInfo(thrown));
    }
  }

  function hear(data: unknown): void {
    const message = opened(data);
    if (message === null || role === 'gone') return;
    if (message.type === 'hello') reign?.broadcast.greet();
    else if (message.type === 'command') {
      // Who hands over takes nothing any more: it is sent again to the next runner.
      if (role === 'runner') reign?.desk.take(message.command);
    } else if (message.type === 'wanted') {
      isWanted = role === 'runner';
      handOver();
    } else if (role === 'follower') follower.hear(message);
    else if (message.type === 'answer') onAnswer(message);
  }

  return {
    join() {
      ask();
      return joined.promise;
    },
    isFollowing: () => role === 'follower' || role === 'handing',
    isOpening: () => role === 'opening',
    takes(input) {
      if (!isCommand(input) || input.type === 'dispose' || role === 'gone') return false;
      const { id } = input;
      const isHere = role === 'runner' || role === 'opening';
      if (isHere) {
        if (input.type !== 'set-draft') taken.add(id);
        if (!isTold(input)) pending.set(id, input);
        return false;
      }
      pending.set(id, input);
      send(input);
      return input.type !== 'set-draft';
    },
    handled(input) {
      if (input.type === 'opened' && role === 'opening') run();
      else if (input.type === 'opened' && role === 'follower') follower.ask();
      reign?.broadcast.touch();
      handOver();
    },
    settled: (commandId) => void pending.delete(commandId),
    hear: (event) => reign?.broadcast.hear(event),
    touch: () => reign?.broadcast.touch(),
    begin(journalId) {
      journals = [...journals.filter((id) => id !== journalId), journalId].slice(-50);
    },
    unstored(record) {
      if (record === null || view === null) return null;
      const { id } = record.journal;
      const own = state();
      if (id === journals.at(-1)) return isAhead(own, record.state) ? own : null;
      return journals.includes(id) ? own : null;
    },
    shown: () => {
      if (view === null || role === 'runner' || role === 'opening') return null;
      return { title: view.shownTitle, persistence: view.persistence };
    },
    lost: () => follower.ask(),
    end() {
      if (role === 'gone') return;
      reign?.broadcast.flush();
      reign?.broadcast.end();
      role = 'gone';
      for (const command of pending.values()) {
        const kind = kindOf(command);
        replies.resolve(command.id, kind === null ? null : newTurn(command.id, kind));
      }
      giveBack();
      channel.close();
    },
  };
}
