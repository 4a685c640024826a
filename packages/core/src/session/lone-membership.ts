import type { SessionInput } from './machine/session-input.ts';
import type { Membership } from './membership.ts';
import type { Replies } from './replies.ts';
import type { SessionSaver } from './saving/session-saver.ts';

const nothing = (): void => undefined;
const none: readonly never[] = [];

/** Creates the membership of a session without a store, which no other tab can share. */
export function createLoneMembership(
  session: {
    readonly saver: Pick<SessionSaver, 'title' | 'persistence'>;
    readonly process: (input: SessionInput) => void;
  },
  replies: Replies,
): Membership {
  return {
    load: async () => ({ record: null, error: null }),
    handle: (input) => session.process(input),
    hear: nothing,
    touch: nothing,
    begin: nothing,
    cut: nothing,
    lost: nothing,
    kept: async () => true,
    lookForCommands: nothing,
    where: () => 'tab',
    connection: () => 'open',
    unsent: () => none,
    title: () => session.saver.title(),
    limits: () => null,
    persistence: () => session.saver.persistence(),
    wasRemoved: async () => false,
    isBack: async () => false,
    isSettled: () => true,
    replies,
    end: nothing,
  };
}
