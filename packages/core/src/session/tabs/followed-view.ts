import type { AgentState } from '../../graph/types.ts';
import type { PersistenceState } from '../agent-session.ts';
import type { SessionCommand } from '../machine/session-input.ts';
import type { SessionRecord } from '../stores/session-store.ts';
import type { TakenCommands } from './command-receiver.ts';
import { createFollower, type Followed, type Follower } from './follower.ts';
import type { TabAnswer } from './held-answers.ts';
import type { KnownJournals } from './known-journals.ts';
import { createOutbox, type Outbox } from './outbox.ts';
import type { SessionTabsOptions } from './session-tabs-options.ts';
import { isRunning } from './tab-commands.ts';
import type { TabMessage } from './tab-message.ts';
import type { TabView } from '../machine/tab-view.ts';

/** The state that a follower has of the leader, and the requests that it sends. */
export type FollowedView = Pick<Follower, 'hear' | 'ask'> & {
  readonly outbox: Outbox;
  /** True when the leader is known. */
  readonly isKnown: () => boolean;
  /** The title and the persistence to show; null before the first message of a leader. */
  readonly shown: () => { readonly title: string; readonly persistence: PersistenceState } | null;
  /** The followed state when it is newer than the stored record; null otherwise. */
  readonly unstored: (record: SessionRecord | null) => AgentState | null;
  /** Begins a leadership term of this tab and returns its number. */
  readonly beginTerm: () => number;
  /** Stops all requests and repeated commands. */
  readonly end: () => void;
};

export function createFollowedView(
  options: SessionTabsOptions & {
    readonly taken: TakenCommands;
    readonly journals: KnownJournals;
    readonly say: (message: TabMessage) => void;
  },
): FollowedView {
  const { env, replies, publisher, post, taken, journals, say } = options;
  let view: TabView | null = null;
  let isKnown = false;
  const store = options.outbox;
  const outbox = createOutbox({ env, replies, say, needsLock, store, sessionId: options.sessionId });
  let follower = followerAfter(0);

  function followerAfter(term: number): Follower {
    return createFollower({ env, term, post: say, onFollowed, onAnswer, onTerm: forget });
  }

  /** Shows the effects of a command before its promise settles. */
  function onAnswer(answer: TabAnswer): void {
    publisher.flush();
    outbox.hear(answer);
  }

  function forget(): void {
    isKnown = false;
  }

  /**
   * True for a command that only this tab can do: a function cannot be posted, and a run needs an
   * agent of this version.
   */
  function needsLock(command: SessionCommand): boolean {
    const isOther = view !== null && view.agentVersion !== options.agentVersion();
    return command.type === 'update' || (isOther && isRunning(command));
  }

  function onFollowed(followed: Followed): void {
    const { document } = followed;
    if (document !== null) journals.learn(document.journalId, document.earlier);
    view = { ...(document?.view ?? (view as TabView)), ...followed.view };
    taken.add(...view.taken);
    // A draft that is typed here wins over an older draft of the leader.
    const { draft, ...rest } = followed.view;
    const shown = outbox.has('set-draft') || draft === undefined ? rest : { ...rest, draft };
    post({ type: 'followed', ...followed, view: shown });
    if (isKnown) return;
    isKnown = true;
    outbox.all().forEach(outbox.send);
  }

  return {
    outbox,
    hear: (message) => follower.hear(message),
    ask: () => follower.ask(),
    isKnown: () => isKnown,
    shown: () => view && { title: view.shownTitle, persistence: view.persistence },
    unstored(record) {
      if (view === null) return null;
      const own = options.state();
      return record === null || journals.isLater(own, record) ? own : null;
    },
    beginTerm() {
      // The term is higher than every known one; the clock covers terms that this tab never heard
      // of.
      const term = Math.max(follower.term() + 1, env.now());
      forget();
      follower.end();
      follower = followerAfter(term);
      return term;
    },
    end() {
      follower.end();
      outbox.end();
    },
  };
}
