import { type Broadcast, createBroadcast, type TabMessage } from './broadcast.ts';
import { type CommandReceiver, createCommandReceiver, type TakenCommands } from './command-receiver.ts';
import type { KnownJournals } from './follower.ts';
import type { SessionTabsOptions } from './session-tabs-options.ts';
import { mirrorOf, type TabDocument } from '../machine/tab-view.ts';
import type { SessionModel } from '../machine/session-model.ts';

/** The parts of a tab while it leads: the broadcast to followers and the command receiver. */
export type Leadership = { readonly broadcast: Broadcast; readonly receiver: CommandReceiver };

type LeadershipOptions = SessionTabsOptions & {
  readonly taken: TakenCommands;
  readonly journals: KnownJournals;
  readonly say: (message: TabMessage) => void;
};

/** Creates the parts of a leadership term. The number is higher than every term before. */
export function createLeadership(term: number, options: LeadershipOptions): Leadership {
  const { env, model, state, taken, journals, replies, post, saver, say } = options;

  function document(): TabDocument {
    const shown = { shownTitle: saver.title(), persistence: saver.persistence() };
    const facts = { ...shown, agentVersion: options.agentVersion(), taken: taken.ids() };
    const view = { ...mirrorOf(model()), ...facts };
    return { journalId: journals.current(), earlier: journals.earlier(), state: state(), view };
  }

  const broadcast = createBroadcast({ env, term, document, post: say });
  const receiver = createCommandReceiver({
    term,
    model,
    state,
    taken,
    replies,
    broadcast,
    post,
    say,
  });
  return { broadcast, receiver };
}

/**
 * The role of a tab: `opening` holds the lock and reads the store, `handing` is about to release
 * the lock.
 */
export type TabRole = 'joining' | 'follower' | 'opening' | 'leader' | 'handing' | 'gone';

/** True when no work is active or scheduled, so another tab may take over the session. */
export function isAtRest({ run, conflict, moves, retry }: SessionModel): boolean {
  return run === null && conflict?.phase !== 'reading' && moves.length === 0 && retry === null;
}
