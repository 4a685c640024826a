import { type ErrorInfo, errorInfo } from '../../graph/error-info.ts';
import type { AgentEvent } from '../../run/events.ts';
import type { PersistenceState } from '../agent-session.ts';
import type { Replies } from '../replies.ts';
import type { SessionSaver } from '../saving/session-saver.ts';
import type { OutcomeOf, SessionInput } from '../machine/session-input.ts';
import type { SessionRecord, SessionStore } from '../stores/session-store.ts';
import { linkOf } from './link-of.ts';
import { createSessionTabs, type SessionTabs } from './session-tabs.ts';
import type { SessionTabsOptions } from './session-tabs-options.ts';

/** What was found when a session was read. */
export type Found = {
  readonly record: SessionRecord | null;
  readonly error: ErrorInfo | null;
} & Pick<OutcomeOf<'opened'>, 'isFollowing' | 'takeover'>;

/** The place of a session among tabs; where its store is not shared it is alone, and nothing is loaded for it. */
export type TabSeat = {
  /** What is stored, by a read that goes on already, and whether another tab runs the session. */
  readonly load: (begun: Promise<SessionRecord | null>) => Promise<Found>;
  /** Has an input handled here, or by the tab that runs the session. */
  readonly handle: (input: SessionInput) => void;
  readonly hear: (event: AgentEvent) => void;
  readonly touch: () => void;
  readonly begin: (journalId: string) => void;
  readonly lost: () => void;
  readonly title: () => string;
  readonly persistence: () => PersistenceState;
  readonly wasRemoved: () => Promise<boolean>;
  readonly isBack: () => Promise<boolean>;
  /** Those who have asked, here and in other tabs. */
  readonly replies: Replies;
  readonly end: () => void;
};

/** What a session brings along. */
export type TabJoining = Omit<SessionTabsOptions, 'link' | 'name' | 'replies'>;

export function createTabSeat(options: {
  readonly sessions: SessionStore | undefined;
  readonly id: () => string | null;
  readonly replies: Replies;
  readonly joining: () => TabJoining;
  readonly saver: () => SessionSaver;
  readonly handle: (input: SessionInput) => void;
}): TabSeat {
  const { sessions, replies, saver } = options;
  let tabs: SessionTabs | null = null;
  let isJoined = false;
  let isEnded = false;
  /** The lock is here, and what is stored was not read since. */
  let isToTakeOver = false;

  async function join(): Promise<boolean> {
    isJoined = true;
    const shared = sessions?.tabs ?? null;
    if (shared === null) return true;
    const found = linkOf(shared, options.id() ?? '');
    if (found === null || isEnded) return true;
    tabs = createSessionTabs({ ...options.joining(), ...found, replies });
    return tabs.join();
  }

  async function load(begun: Promise<SessionRecord | null>): Promise<Found> {
    const isFirst = !isJoined;
    const read: Found = await saver()
      .load(begun)
      .then(
        (record) => ({ record, error: null }),
        (thrown: unknown) => ({ record: null, error: errorInfo(thrown) }),
      );
    if (isFirst) return (await join()) ? read : { ...read, isFollowing: true };
    // Also when it could not be read at once, and somebody has it read again.
    isToTakeOver ||= tabs?.isOpening() === true;
    if (tabs === null || !isToTakeOver || read.error !== null) return read;
    isToTakeOver = false;
    return { ...read, takeover: { own: tabs.unstored(read.record) } };
  }

  return {
    load,
    handle(input) {
      if (tabs?.takes(input) === true) return;
      options.handle(input);
      tabs?.handled(input);
    },
    hear: (event) => tabs?.hear(event),
    touch: () => tabs?.touch(),
    begin: (journalId) => tabs?.begin(journalId),
    lost: () => tabs?.lost(),
    title: () => tabs?.shown()?.title ?? saver().title(),
    persistence: () => tabs?.shown()?.persistence ?? saver().persistence(),
    // Who runs it sees to that, and tells.
    wasRemoved: async () => tabs?.isFollowing() !== true && saver().wasRemoved(),
    isBack: async () => tabs?.isFollowing() !== true && saver().isBack(),
    replies: {
      ...replies,
      resolve(commandId, turn) {
        tabs?.settled(commandId);
        replies.resolve(commandId, turn);
      },
      reject(commandId, thrown) {
        tabs?.settled(commandId);
        replies.reject(commandId, thrown);
      },
    },
    end() {
      isEnded = true;
      tabs?.end();
    },
  };
}
