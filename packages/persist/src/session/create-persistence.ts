import type { SessionStore, SessionLoad } from '@vitrine/core/internal/session/store/session-store';
import { reduceOthers } from './others.ts';
import {
  type OutcomeOf,
  isCommand,
  isKept,
  type SessionCommand,
  type SessionInput,
} from '@vitrine/core/internal/session/machine/session-input';
import type * as LinkEngine from '../link/session-link.ts';
import type {
  AttachedSession,
  Persistence,
  Found,
  ShownPersistence,
} from '@vitrine/core/internal/session/persistence';
import { rereadStored } from './reread-stored.ts';
import { AgentError } from '@vitrine/core/internal/kit/agent-error';
import { SessionController } from '@vitrine/core/internal/session/controller/session-controller';
import { createSessionSaver, type SessionSaver } from '../writer/session-saver.ts';
import type { HeadChange } from '../writer/writer.ts';
import { createWriteBarrier } from './write-barrier.ts';
import { watchSurroundings } from './watch-surroundings.ts';
import { of as errorInfo } from '@vitrine/core/internal/graph/error-info';
import type { AgentEvent } from '@vitrine/core/internal/run/events';
import { nothing } from '@vitrine/core/internal/kit/memoize';
import type { SessionLink } from '../link/session-link.ts';
import type { Replies } from '@vitrine/core/internal/session/replies';
import { isKnown, takeCommands, type TakenCommands, takenCommands } from './stored-commands.ts';

/** Creates the part of a session that keeps it in a store, and loads the link where tabs share the store. */
export async function createPersistence(session: object): Promise<Persistence> {
  // The controller is imported for this check, so that bundlers put all that both use into its chunk alone.
  if (!SessionController.isAttachable(session)) throw notOurs();
  const isShared = (session.sessions.tabs ?? null) !== null;
  return persistenceOf(session, isShared ? await import('../link/session-link.ts') : null);
}

function notOurs(): AgentError {
  return new AgentError(
    'session-storage',
    'attach(): this is no session that a store can keep. Only a session calls it, with itself.',
  );
}

/** The persistence of a session; `code` is that of the link, null for a store that tabs do not share. */
function persistenceOf(
  session: AttachedSession & { readonly sessions: SessionStore },
  code: typeof LinkEngine | null,
): Persistence {
  const { env, sessions } = session;
  const saver = createSessionSaver({
    env,
    sessions,
    read: () => session.current(),
    onChange() {
      session.publisher.touch();
      tabs.touch();
    },
    onWrite: () => tabs.cut(),
    onConflict: () => reportOvertaken(session, sessions),
    onLate: () => session.openAgain(null),
    takeHead: (change) => takeHead(session, change),
  });
  const tabs = createMembership(session, saver, code);
  const barrier = createWriteBarrier(session, { saver, tabs });
  const surroundings = watchSurroundings(session, { saver, tabs });
  return {
    load: tabs.load,
    send: tabs.handle,
    begin(journal) {
      tabs.begin(journal);
      saver.begin(journal);
    },
    receive(event, after) {
      saver.onEvent(event, after);
      tabs.onEvent(event);
    },
    perform(effect) {
      switch (effect.type) {
        case 'store':
          return void saver.claim().then((outcome) => {
            // A conflict comes as an input of its own.
            if (outcome !== 'conflict') session.post({ type: 'stored', runId: effect.runId });
          });
        case 'read-again':
          return barrier.holdDuring(rereadStored(session, saver, effect));
        case 'watch-run':
          return surroundings.watchRun();
        case 'save-soon':
          return saver.schedule();
        case 'forget-store':
          return saver.close();
        case 'fall-silent':
          return tabs.end(true);
        case 'note-command':
          return saver.command(effect.id);
        case 'hurry':
          return saver.nudge();
        case 'erase':
          return saver.erase();
        case 'request-document':
          return tabs.requestDocument();
      }
    },
    settle: barrier.whenSettled,
    whenStored: saver.whenStored,
    untilWritten: saver.untilWritten,
    journalOf: saver.journalOf,
    facts: () => ({ ...tabs.facts(), isSettled: tabs.isSettled() && saver.isSettled() }),
    others: reduceOthers,
    replies: tabs.replies,
    async close() {
      await barrier.whenAllSettled();
      surroundings.end();
      tabs.end();
      saver.close();
    },
  };
}

/** Reports that another writer has changed the stored session. */
function reportOvertaken(session: AttachedSession, { fence }: SessionStore): void {
  const { onConflict = 'rebase' } = session.settings();
  const policy = fence === 'end' ? 'end' : onConflict;
  // While a conflict is being resolved, every write finds it again.
  if (session.model.conflict?.phase !== 'reading')
    session.post({ type: 'overtaken', policy, forkId: session.env.id() });
}

/** Has the change of a head handled; false when the mailbox is closed, as while the stored session is read. */
function takeHead({ mailbox, post }: AttachedSession, change: HeadChange): boolean {
  const input: OutcomeOf<'head-changed'> = { type: 'head-changed', ...change };
  post(input);
  return !mailbox.waiting().includes(input);
}

/**
 * The membership of a session in the group of tabs that share its store. Where the store is not shared it is alone and
 * has no link.
 */
type Membership = {
  /** Resolves with the record of a read that is under way, and whether another tab leads. */
  readonly load: (begun: Promise<SessionLoad | null>) => Promise<Found>;
  /** Passes an input to the machine of this tab or to the leader. */
  readonly handle: (input: SessionInput) => void;
  readonly onEvent: (event: AgentEvent) => void;
  readonly touch: () => void;
  readonly begin: SessionLink['begin'];
  /** Notes that a write takes everything up to now. */
  readonly cut: () => void;
  readonly requestDocument: () => void;
  /**
   * Resolves when the unanswered commands of this tab are in the store: false when they are not.
   */
  readonly whenKept: () => Promise<boolean>;
  /** Checks the store for commands of other tabs. */
  readonly lookForCommands: () => void;
  readonly facts: () => Omit<ShownPersistence, 'isSettled'>;
  readonly wasRemoved: () => Promise<boolean>;
  readonly isBack: () => Promise<boolean>;
  /** False while a command of this tab has not reached the leader. */
  readonly isSettled: () => boolean;
  /** The open promises of callers, here and in other tabs. */
  readonly replies: Replies;
  /** Leaves the group; `isSilent` tells the others nothing more. */
  readonly end: (isSilent?: boolean) => void;
};

/** Creates the membership of a session. `code` is that of the link; null for a store that tabs do not share. */
function createMembership(
  session: AttachedSession,
  saver: SessionSaver,
  code: typeof LinkEngine | null,
): Membership {
  const { sessions, replies } = session;
  const taken = takenCommands();
  const alone = createLoneCommands(session, saver, taken);
  let link: SessionLink | null = null;
  let isJoined = false;
  let isEnded = false;
  /** True when this tab got the lock and has not read the store since. */
  let isToTakeOver = false;

  async function join(): Promise<boolean> {
    isJoined = true;
    const shared = sessions?.tabs ?? null;
    if (code === null || shared === null) return true;
    const transport = code.transportOf(shared, session.id() ?? '');
    if (transport === null || isEnded) return true;
    link = code.createSessionLink({ session, saver, replies, taken, transport });
    return link.join();
  }

  async function load(begun: Promise<SessionLoad | null>): Promise<Found> {
    const isFirst = !isJoined;
    const read: Found = await saver.load(begun).then(
      (record) => ({ record, error: null }),
      (thrown: unknown) => ({ record: null, error: errorInfo(thrown) }),
    );
    taken.read(read.record?.taken ?? []);
    if (isFirst) return (await join()) ? read : { ...read, isFollowing: true };
    // Stays set after a failed read, so that a repeated read takes over too.
    isToTakeOver ||= link?.isOpening() === true;
    if (link === null || !isToTakeOver || read.error !== null) return read;
    isToTakeOver = false;
    return { ...read, takeover: { own: link.unstoredState(read.record) } };
  }

  return {
    load,
    handle(input) {
      if (link === null) return alone.handle(input);
      if (link.takes(input)) return;
      session.process(input);
      link.onHandled(input);
    },
    onEvent: (event) => link?.onEvent(event),
    touch: () => link?.touch(),
    begin: (journal) => link?.begin(journal),
    cut: () => link?.cut(),
    requestDocument: () => link?.requestDocument(),
    whenKept: async () => link?.whenKept() ?? true,
    lookForCommands: () => link?.lookForCommands(),
    facts() {
      const limits = link?.shownView() ?? null;
      return {
        title: limits?.title ?? saver.title(),
        persistence: limits?.persistence ?? saver.persistence(),
        where: link?.where() ?? 'tab',
        connection: link?.connection() ?? 'open',
        unsent: link?.unsent() ?? nothing,
        limits,
      };
    },
    // A follower leaves the check to the leader, which reports it.
    wasRemoved: async () => link?.isFollowing() !== true && saver.wasRemoved(),
    isBack: async () => link?.isFollowing() !== true && saver.isBack(),
    isSettled: () => link?.isSettled() ?? true,
    replies: notifying(replies, (commandId) => link?.onSettled(commandId)),
    end(isSilent) {
      isEnded = true;
      alone.end();
      link?.end(isSilent);
    },
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
  readonly end: () => void;
};

function createLoneCommands(
  session: AttachedSession,
  saver: Pick<SessionSaver, 'flush'>,
  taken: TakenCommands,
): LoneCommands {
  let isEnded = false;
  const isRunning = (): boolean => !isEnded && session.model.phase === 'open' && !session.model.isDisposed;

  function enter(command: SessionCommand): void {
    if (isKnown(session, command.id)) taken.add(command.id);
    else if (!taken.ids().includes(command.id)) session.post(command);
  }

  /** Takes the commands in the store: when the session was opened, and when a run has ended. */
  function take(isOpening: boolean): void {
    if (isRunning()) void takeCommands(session, saver, { taken, enter, isRunning, isOpening });
  }

  return {
    handle(input) {
      if (isCommand(input) && isKept(input)) taken.add(input.id);
      session.process(input);
      if (input.type === 'opened') take(!input.resume);
      else if (input.type === 'run-over') take(false);
    },
    end: () => void (isEnded = true),
  };
}
