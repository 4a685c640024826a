import type { AgentState } from '../../graph/types.ts';
import type { PersistenceState } from '../agent-session.ts';
import type { SessionCommand } from '../machine/session-input.ts';
import type { SessionRecord } from '../stores/session-store.ts';
import type { TakenCommands } from './desk.ts';
import { createFollower, type Followed, type Follower } from './follower.ts';
import type { TabAnswer } from './held-answers.ts';
import type { KnownJournals } from './known-journals.ts';
import { createOutbox, type Outbox } from './outbox.ts';
import type { SessionTabsOptions } from './session-tabs-options.ts';
import { isRunning } from './tab-commands.ts';
import type { TabMessage } from './tab-message.ts';
import type { TabView } from '../machine/tab-view.ts';

/** What a tab knows of the one that runs the session, and what it asks of it. */
export type FollowedView = Pick<Follower, 'hear' | 'ask'> & {
  readonly outbox: Outbox;
  /** True when it is known who runs it. */
  readonly isKnown: () => boolean;
  /** What is shown; null as long as nothing was told. */
  readonly shown: () => { readonly title: string; readonly persistence: PersistenceState } | null;
  /** What was told here that follows what is stored; null when there is nothing. */
  readonly unstored: (record: SessionRecord | null) => AgentState | null;
  /** This tab begins to run it: gives the number of its reign. */
  readonly beginReign: () => number;
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
  const outbox = createOutbox({ replies, say, needsLock });
  let follower = followerAfter(0);

  function followerAfter(reign: number): Follower {
    return createFollower({ reign, post: say, onFollowed, onAnswer, onReign: forget });
  }

  /** Who asked sees what came of it. */
  function onAnswer(answer: TabAnswer): void {
    publisher.flush();
    outbox.hear(answer);
  }

  function forget(): void {
    isKnown = false;
  }

  /** A function cannot travel, and a run is the matter of the agent that was asked. */
  function needsLock(command: SessionCommand): boolean {
    const isOther = view !== null && view.agentVersion !== options.agentVersion();
    return command.type === 'update' || (isOther && isRunning(command));
  }

  function onFollowed(followed: Followed): void {
    const { document } = followed;
    if (document !== null) journals.learn(document.journalId, document.earlier);
    view = { ...(document?.view ?? (view as TabView)), ...followed.view };
    taken.add(...view.taken);
    // What is typed here is not overwritten by what was typed before.
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
    beginReign() {
      // Later than all that were heard of, also where none was.
      const reign = Math.max(follower.reign() + 1, env.now());
      forget();
      follower.end();
      follower = followerAfter(reign);
      return reign;
    },
  };
}
