import { type Broadcast, createBroadcast } from './broadcast.ts';
import { createDesk, type Desk, type TakenCommands } from './desk.ts';
import type { KnownJournals } from './known-journals.ts';
import type { SessionTabsOptions } from './session-tabs-options.ts';
import type { TabDocument } from '../machine/tab-document.ts';
import type { TabMessage } from './tab-message.ts';
import { mirrorOf } from '../machine/tab-view.ts';

/** A tab runs the session: what it tells, and where it takes commands. */
export type Reign = { readonly broadcast: Broadcast; readonly desk: Desk };

type ReignOptions = SessionTabsOptions & {
  readonly taken: TakenCommands;
  readonly journals: KnownJournals;
  readonly say: (message: TabMessage) => void;
};

/** Begins a reign; its number is later than all before it. */
export function createReign(number: number, options: ReignOptions): Reign {
  const { env, model, state, taken, journals, replies, post, saver, say } = options;

  function document(): TabDocument {
    const shown = { shownTitle: saver.title(), persistence: saver.persistence() };
    const facts = { ...shown, agentVersion: options.agentVersion(), taken: taken.ids() };
    const view = { ...mirrorOf(model()), ...facts };
    return { journalId: journals.current(), earlier: journals.earlier(), state: state(), view };
  }

  const broadcast = createBroadcast({ env, reign: number, document, post: say });
  const desk = createDesk({ reign: number, model, state, taken, replies, broadcast, post, say });
  return { broadcast, desk };
}
