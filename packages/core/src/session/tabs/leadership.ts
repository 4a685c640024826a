import { type Broadcast, createBroadcast } from './broadcast.ts';
import { createCommandReceiver, type CommandReceiver, type TakenCommands } from './command-receiver.ts';
import type { KnownJournals } from './known-journals.ts';
import type { SessionTabsOptions } from './session-tabs-options.ts';
import type { TabDocument } from '../machine/tab-document.ts';
import type { TabMessage } from './tab-message.ts';
import { mirrorOf } from '../machine/tab-view.ts';

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
