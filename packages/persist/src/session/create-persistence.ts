import { of as errorInfo } from '@vitrine/core/internal/graph/error-info';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import { AgentError } from '@vitrine/core/internal/kit/agent-error';
import { nothing } from '@vitrine/core/internal/kit/memoize';
import { branchMessages, isOfUser, placesIn } from '@vitrine/core/internal/session/branches/branch-messages';
import { SessionController } from '@vitrine/core/internal/session/controller/session-controller';
import {
  isCommand,
  isKept,
  type OutcomeOf,
  type OutcomeOfOthers,
  type SessionCommand,
  type SessionInput,
} from '@vitrine/core/internal/session/machine/session-input';
import type { SessionModel } from '@vitrine/core/internal/session/machine/session-model';
import type { Transition } from '@vitrine/core/internal/session/machine/transition';
import type {
  AttachedSession,
  Found,
  Persistence,
  Settled,
  ShownPersistence,
} from '@vitrine/core/internal/session/persistence';
import type { Replies } from '@vitrine/core/internal/session/replies';
import type { Turn } from '@vitrine/core/internal/session/session-commands';
import type { SessionLoad, SessionStore } from '@vitrine/core/internal/session/store/session-store';
import type * as LinkEngine from '../link/session-link.ts';
import type { SessionLink } from '../link/session-link.ts';
import type { SaveQueue } from '../writer/save-queue.ts';
import { SessionSaver } from '../writer/session-saver.ts';
import type { HeadChange } from '../writer/writer.ts';
import { handleOvertaken, handleReread, headChanged } from './overtaken.ts';
import { rereadStored } from './reread-stored.ts';
import { isKnown, takeCommands, TakenCommands } from './stored-commands.ts';
import { attach, handleFollowed, otherGone, takenOver } from './tabs.ts';
import { watchSurroundings } from './watch-surroundings.ts';

/** Creates the part of a session that keeps it in a store, and loads the link where tabs share the store. */
export async function createPersistence(session: object): Promise<Persistence> {
  // The controller is imported for this check, so that bundlers put all that both use into its chunk alone.
  if (!SessionController.isAttachable(session)) {
    const message =
      'attach(): this is no session that a store can keep. Only a session calls it, with itself.';
    throw new AgentError('session-storage', message);
  }
  const isShared = (session.sessions.tabs ?? null) !== null;
  return persistenceOf(session, isShared ? await import('../link/session-link.ts') : null);
}

/** The persistence of a session; `code` is that of the link, null for a store that tabs do not share. */
function persistenceOf(
  session: AttachedSession & { readonly sessions: SessionStore },
  code: typeof LinkEngine | null,
): Persistence {
  const { env, sessions } = session;
  const saver = new SessionSaver({
    env,
    sessions,
    read: () => session.current(),
    onChange() {
      session.publisher.touch();
      tabs.link?.touch();
    },
    onWrite: () => tabs.link?.cut(),
    onConflict: () => reportOvertaken(session, sessions),
    onLate: () => session.openAgain(null),
    takeHead: (change) => takeHead(session, change),
  });
  const { queue, writer } = saver;
  const tabs = new Membership(session, saver, code);
  const barrier = createWriteBarrier(session, { queue, tabs });
  const surroundings = watchSurroundings(session, { saver, tabs });
  return {
    load: (begun) => tabs.load(begun),
    send: (input) => tabs.handle(input),
    begin(journal) {
      tabs.link?.begin(journal);
      saver.begin(journal);
    },
    receive(event, after) {
      saver.onEvent(event, after);
      tabs.link?.onEvent(event);
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
          return queue.close();
        case 'fall-silent':
          return tabs.end(true);
        case 'note-command':
          return saver.log.command(effect.id);
        case 'hurry':
          return saver.nudge();
        case 'erase':
          return saver.erase();
        case 'request-document':
          return tabs.link?.view.requestDocument();
      }
    },
    settle: barrier.whenSettled,
    whenStored: () => queue.whenStored(),
    untilWritten: () => queue.untilWritten(),
    journalOf: (base) => writer.journalOf(base),
    facts: () => tabs.facts(),
    others: reduceOthers,
    replies: tabs.replies,
    async close() {
      await barrier.whenAllSettled();
      surroundings.end();
      tabs.end();
      queue.close();
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
class Membership {
  link: SessionLink | null = null;
  /** The open promises of callers, here and in other tabs. */
  readonly replies: Replies;
  readonly #session: AttachedSession;
  /** The replies of the session itself; once it is attached, it answers through those of the group. */
  readonly #ownReplies: Replies;
  readonly #saver: SessionSaver;
  readonly #code: typeof LinkEngine | null;
  readonly #taken = new TakenCommands();
  #isJoined = false;
  #isEnded = false;
  /** True when this tab got the lock and has not read the store since. */
  #isToTakeOver = false;

  /** `code` is that of the link; null for a store that tabs do not share. */
  constructor(session: AttachedSession, saver: SessionSaver, code: typeof LinkEngine | null) {
    this.#session = session;
    this.#ownReplies = session.replies;
    this.#saver = saver;
    this.#code = code;
    this.replies = withNotice(this.#ownReplies, (id) => this.link?.view.outbox.settle(id));
  }

  /** Resolves with the record of a read that is under way, and whether another tab leads. */
  async load(begun: Promise<SessionLoad | null>): Promise<Found> {
    const isFirst = !this.#isJoined;
    const read: Found = await this.#saver.load(begun).then(
      (record) => ({ record, error: null }),
      (thrown: unknown) => ({ record: null, error: errorInfo(thrown) }),
    );
    this.#taken.read(read.record?.taken ?? []);
    if (isFirst) return (await this.#join()) ? read : { ...read, isFollowing: true };
    const { link } = this;
    // Stays set after a failed read, so that a repeated read takes over too.
    this.#isToTakeOver ||= link?.isOpening === true;
    if (link === null || !this.#isToTakeOver || read.error !== null) return read;
    this.#isToTakeOver = false;
    return { ...read, takeover: { own: link.view.unstoredState(read.record) } };
  }

  /** Passes an input to the machine of this tab or to the leader. */
  handle(input: SessionInput): void {
    const { link } = this;
    if (link === null) return this.#handleAlone(input);
    if (link.takes(input)) return;
    this.#session.process(input);
    link.onHandled(input);
  }

  /** Resolves when the unanswered commands of this tab are in the store: false when they are not. */
  async whenKept(): Promise<boolean> {
    return this.link?.whenKept() ?? true;
  }

  facts(): ShownPersistence {
    const { link } = this;
    const { queue, title } = this.#saver;
    const limits = link?.shownView ?? null;
    return {
      title: limits?.title ?? title,
      persistence: limits?.persistence ?? queue.persistence,
      where: link?.where ?? 'tab',
      connection: link?.connection ?? 'open',
      unsent: link?.unsent ?? nothing,
      limits,
      isSettled: (link?.isSettled ?? true) && queue.isSettled,
    };
  }

  /** Leaves the group; `isSilent` tells the others nothing more. */
  end(isSilent?: boolean): void {
    this.#isEnded = true;
    this.link?.end(isSilent);
  }

  #handleAlone(input: SessionInput): void {
    if (isCommand(input) && isKept(input)) this.#taken.add(input.id);
    this.#session.process(input);
    if (input.type === 'opened') this.#takeStored(!input.resume);
    else if (input.type === 'run-over') this.#takeStored(false);
  }

  /** Takes the commands in the store: when the session was opened, and when a run has ended. */
  #takeStored(isOpening: boolean): void {
    const [session, taken] = [this.#session, this.#taken];
    const isRunning = (): boolean =>
      !this.#isEnded && session.model.phase === 'open' && !session.model.isDisposed;
    const enter = (command: SessionCommand): void => {
      if (isKnown(session, command.id)) taken.add(command.id);
      else if (!taken.ids.includes(command.id)) session.post(command);
    };
    if (isRunning()) void takeCommands(session, this.#saver.queue, { taken, enter, isRunning, isOpening });
  }

  async #join(): Promise<boolean> {
    this.#isJoined = true;
    const [session, saver, code, taken] = [this.#session, this.#saver, this.#code, this.#taken];
    const shared = session.sessions?.tabs ?? null;
    if (code === null || shared === null) return true;
    const transport = code.transportOf(shared, session.id() ?? '');
    if (transport === null || this.#isEnded) return true;
    this.link = new code.SessionLink({ session, saver, replies: this.#ownReplies, taken, transport });
    return this.link.join();
  }
}

function withNotice(replies: Replies, onSettled: (commandId: string) => void): Replies {
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

/** Handles what others who share the stored session do; pure, as `reduce` is. It is loaded with the store. */
export function reduceOthers(model: SessionModel, input: OutcomeOfOthers, state: AgentState): Transition {
  switch (input.type) {
    case 'opened':
      return takenOver(model, input, state);
    case 'followed':
      return handleFollowed(model, input);
    case 'attach':
      return attach(model, input, state);
    case 'head-changed':
      return headChanged(model, input, state);
    case 'overtaken':
      return handleOvertaken(model, input);
    case 'read-again':
      return handleReread(model, input, state);
    case 'other-gone':
      return otherGone(model, input, state);
  }
}

/** The number of conflicts in a row after which a session is reported as not stored. */
const maxAttempts = 8;

/** Makes callers wait until changes are written, and inputs until the session that another writer has stored is read. */
function createWriteBarrier(
  session: Pick<AttachedSession, 'mailbox' | 'model' | 'state'>,
  { queue, tabs }: { readonly queue: SaveQueue; readonly tabs: Membership },
) {
  const { mailbox } = session;
  let rereading: Promise<Fork> = Promise.resolve({ forkedTo: null, forkedTurns: [] });
  let waiting: readonly Promise<unknown>[] = [];

  const lines = (): readonly AgentState[] => [
    session.state,
    ...session.model.tree.branches.map((branch) => branch.state),
  ];

  async function settle(turn: Turn | null): Promise<Settled> {
    const before = lines();
    const isKept = await tabs.whenKept();
    let forkedTo: string | null = null;
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const outcome = await queue.flush();
      const stored = session.model.hasStore && isKept && outcome === 'saved';
      if (outcome !== 'conflict') return { stored: stored || (turn !== null && forkedTo !== null), forkedTo };
      const fork = session.model.conflict?.phase === 'reading' ? await rereading : null;
      // The first fork that a turn goes to has it; later ones hold other answers.
      if (turn === null) forkedTo = fork?.forkedTo ?? forkedTo;
      else if (fork !== null && holds(fork, before, turn) && !isIn(lines(), before, turn))
        forkedTo ??= fork.forkedTo;
      if ((session.model.conflict ?? null) !== null || session.model.phase !== 'open') break;
    }
    return { stored: turn !== null && forkedTo !== null, forkedTo };
  }

  /**
   * Resolves when all changes were written, or could not be, and a conflict is resolved. With a turn the outcome is that
   * of its messages.
   */
  function whenSettled(turn: Turn | null = null): Promise<Settled> {
    const settling = settle(turn);
    waiting = [...waiting, settling];
    return settling.finally(() => (waiting = waiting.filter((entry) => entry !== settling)));
  }

  return {
    /** Makes inputs wait until the stored session is read, which then comes first. */
    holdDuring(reading: Promise<OutcomeOf<'read-again'>>): void {
      mailbox.close();
      rereading = reading.then((outcome) => {
        if (outcome.error !== null) queue.clock.retry();
        mailbox.open(outcome);
        return outcome;
      });
    },
    whenSettled,
    /** Resolves as `whenSettled` does, once all its other callers were answered. */
    async whenAllSettled(): Promise<void> {
      await whenSettled();
      while (waiting.length > 0) await Promise.all(waiting);
    },
  };
}

/** The fork of a conflict, and the user messages whose turns it holds. */
type Fork = Pick<OutcomeOf<'read-again'>, 'forkedTo' | 'forkedTurns'>;

/** True when a fork may hold a turn: one that answers no message of its own, or whose message the fork holds. */
function holds({ forkedTurns }: Fork, before: readonly AgentState[], { id, status }: Turn): boolean {
  const isOfMessage = before.some((state) => placesIn(branchMessages(state)).has(id));
  return status !== 'queued' && (!isOfMessage || forkedTurns.includes(id));
}

/** True when the states contain the message of a turn and all of its answer. */
function isIn(lines: readonly AgentState[], before: readonly AgentState[], { id }: Turn): boolean {
  const said = before.map(branchMessages).find((messages) => placesIn(messages).has(id));
  if (said === undefined) return false;
  const from = placesIn(said).get(id) ?? 0;
  const next = said.findIndex((message, at) => at > from && isOfUser(message));
  const turn = said.slice(from, next < 0 ? said.length : next);
  return turn.every((message) => lines.some((other) => placesIn(branchMessages(other)).has(message.id)));
}
