import type { AgentDefinition } from '../../agent/agent-definition.ts';
import { type ErrorInfo, errorInfo } from '../../graph/error-info.ts';
import type { AgentState } from '../../graph/types.ts';
import type { AgentEvent } from '../../run/events.ts';
import type { PersistenceState } from '../agent-session.ts';
import type { Replies } from '../replies.ts';
import type { SessionSaver } from '../saving/session-saver.ts';
import {
  isCommand,
  isKept,
  type OutcomeOf,
  type SessionCommand,
  type SessionInput,
} from '../machine/session-input.ts';
import type { SessionModel } from '../machine/session-model.ts';
import type { SessionRecord, SessionStore } from '../stores/session-store.ts';
import { linkOf } from './broadcast.ts';
import { createSessionTabs, type SessionTabs } from './session-tabs.ts';
import type { SessionTabsOptions } from './session-tabs-options.ts';
import { takeCommands, takenCommands } from './command-receiver.ts';
import { isKnown } from './outbox.ts';

/** The result of reading a session. */
export type Found = {
  readonly record: SessionRecord | null;
  readonly error: ErrorInfo | null;
} & Pick<OutcomeOf<'opened'>, 'isFollowing' | 'takeover'>;

/**
 * The membership of a session in its group of tabs. Where the store is not shared it is alone and
 * loads no tab code.
 */
export type TabMembership = {
  /** Resolves with the record of a read that is under way, and whether another tab leads. */
  readonly load: (begun: Promise<SessionRecord | null>) => Promise<Found>;
  /** Passes an input to the machine of this tab or to the leader. */
  readonly handle: (input: SessionInput) => void;
  readonly hear: (event: AgentEvent) => void;
  readonly touch: () => void;
  readonly begin: (journalId: string) => void;
  readonly lost: () => void;
  /**
   * Resolves when the unanswered commands of this tab are in the store: false when they are not.
   */
  readonly kept: () => Promise<boolean>;
  /** Checks the store for commands of other tabs. */
  readonly lookForCommands: () => void;
  readonly title: () => string;
  readonly persistence: () => PersistenceState;
  readonly wasRemoved: () => Promise<boolean>;
  readonly isBack: () => Promise<boolean>;
  /** False while a command of this tab has not reached the leader. */
  readonly isSettled: () => boolean;
  /** The open promises of callers, here and in other tabs. */
  readonly replies: Replies;
  readonly end: () => void;
};

/** A session as its membership sees it. */
type Member = Pick<SessionTabsOptions, 'env' | 'publisher' | 'post'> & {
  readonly sessions: SessionStore | undefined;
  readonly id: () => string | null;
  readonly agent: AgentDefinition;
  readonly model: SessionModel;
  readonly state: AgentState;
  readonly saver: SessionSaver;
  readonly openAgain: (commandId: string | null) => void;
  readonly process: (input: SessionInput) => void;
};

/** Creates the membership of a session. `replies` are the open promises of its callers. */
export function createTabMembership(session: Member, replies: Replies): TabMembership {
  const { sessions } = session;
  let tabs: SessionTabs | null = null;
  let isJoined = false;
  let isEnded = false;
  const alone = createLoneCommands(session);
  /** True when this tab got the lock and has not read the store since. */
  let isToTakeOver = false;

  async function join(): Promise<boolean> {
    isJoined = true;
    const shared = sessions?.tabs ?? null;
    if (shared === null) return true;
    const found = linkOf(shared, session.id() ?? '');
    if (found === null || isEnded) return true;
    tabs = createSessionTabs({ ...optionsOf(session, replies), ...found });
    return tabs.join();
  }

  async function load(begun: Promise<SessionRecord | null>): Promise<Found> {
    const isFirst = !isJoined;
    const read: Found = await session.saver.load(begun).then(
      (record) => ({ record, error: null }),
      (thrown: unknown) => ({ record: null, error: errorInfo(thrown) }),
    );
    alone.learn(read.record?.taken ?? []);
    if (isFirst) {
      const isLeader = await join();
      tabs?.learn(read.record?.taken ?? []);
      return isLeader ? read : { ...read, isFollowing: true };
    }
    tabs?.learn(read.record?.taken ?? []);
    // Stays set after a failed read, so that a repeated read takes over too.
    isToTakeOver ||= tabs?.isOpening() === true;
    if (tabs === null || !isToTakeOver || read.error !== null) return read;
    isToTakeOver = false;
    return { ...read, takeover: { own: tabs.unstored(read.record) } };
  }

  return {
    load,
    handle(input) {
      if (tabs === null) return alone.handle(input);
      if (tabs.takes(input)) return;
      session.process(input);
      tabs.handled(input);
    },
    hear: (event) => tabs?.hear(event),
    touch: () => tabs?.touch(),
    begin: (journalId) => tabs?.begin(journalId),
    lost: () => tabs?.lost(),
    kept: async () => tabs?.kept() ?? true,
    lookForCommands: () => tabs?.lookForCommands(),
    title: () => tabs?.shown()?.title ?? session.saver.title(),
    persistence: () => tabs?.shown()?.persistence ?? session.saver.persistence(),
    // A follower leaves the check to the leader, which reports it.
    wasRemoved: async () => tabs?.isFollowing() !== true && session.saver.wasRemoved(),
    isBack: async () => tabs?.isFollowing() !== true && session.saver.isBack(),
    isSettled: () => tabs?.isSettled() ?? true,
    replies: notifying(replies, (commandId) => tabs?.settled(commandId)),
    end() {
      isEnded = true;
      alone.end();
      tabs?.end();
    },
  };
}

function optionsOf(session: Member, replies: Replies): Omit<SessionTabsOptions, 'link' | 'name'> {
  const { env, publisher, post, saver, sessions } = session;
  return {
    env,
    publisher,
    post,
    saver,
    replies,
    sessionId: session.id() ?? '',
    outbox: sessions?.outbox ?? null,
    agentVersion: () => session.agent.version,
    model: () => session.model,
    state: () => session.state,
    takeOver: () => session.openAgain(null),
  };
}

/** Wraps replies and reports the command id before each answer. */
function notifying(replies: Replies, onSettled: (commandId: string) => void): Replies {
  return {
    ...replies,
    resolve(commandId, turn) {
      onSettled(commandId);
      replies.resolve(commandId, turn);
    },
    reject(commandId, thrown) {
      onSettled(commandId);
      replies.reject(commandId, thrown);
    },
  };
}

/** The commands of a session that cannot reach other tabs: its own, and those that wait in its store. */
type LoneCommands = {
  readonly handle: (input: SessionInput) => void;
  /** Adds ids of commands that were done before. */
  readonly learn: (taken: readonly string[]) => void;
  readonly end: () => void;
};

function createLoneCommands(session: {
  readonly sessions: SessionStore | undefined;
  readonly id: () => string | null;
  readonly model: SessionModel;
  readonly state: AgentState;
  readonly saver: Pick<SessionSaver, 'flush'>;
  readonly post: (input: SessionInput) => void;
  readonly process: (input: SessionInput) => void;
}): LoneCommands {
  const { sessions } = session;
  const taken = takenCommands();
  let isEnded = false;

  /** Takes the commands in the store: when the session was opened, and when a run has ended. */
  function take(isOpening: boolean): void {
    const [outbox, sessionId] = [sessions?.outbox, session.id()];
    const isRunning = (): boolean => !isEnded && session.model.phase === 'open' && !session.model.isDisposed;
    const state = (): AgentState => session.state;
    if (outbox === undefined || sessionId === null || !isRunning()) return;
    const enter = (command: SessionCommand): void => {
      if (isKnown(session.model, session.state, command.id)) taken.add(command.id);
      else if (!taken.ids().includes(command.id)) session.post(command);
    };
    const { flush } = session.saver;
    void takeCommands({ outbox, sessionId, taken, state, flush, enter, isRunning, isOpening });
  }

  return {
    handle(input) {
      if (isCommand(input) && isKept(input)) taken.add(input.id);
      session.process(input);
      if (input.type === 'opened') take(!input.resume);
      else if (input.type === 'run-over') take(false);
    },
    learn: (ids) => taken.add(...ids),
    end: () => void (isEnded = true),
  };
}
