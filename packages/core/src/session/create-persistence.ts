import type { SessionStore } from './stores/session-store.ts';
import { reduceOthers } from './machine/others.ts';
import type { OutcomeOf } from './machine/session-input.ts';
import type * as LinkEngine from './link/session-link.ts';
import { createMembership } from './membership.ts';
import type { AttachedSession, Persistence } from './persistence.ts';
import { readStored } from './read-stored.ts';
import { createSessionSaver } from './saving/session-saver.ts';
import type { HeadChange } from './saving/writer.ts';
import { createTakeUp } from './take-up.ts';
import { watchSurroundings } from './watch-surroundings.ts';

/**
 * Creates the part of a session that keeps it in a store. `code` is that of the link; null for a store that tabs do not
 * share.
 */
export function createPersistence(
  session: AttachedSession,
  sessions: SessionStore,
  code: typeof LinkEngine | null,
): Persistence {
  const { env } = session;
  const saver = createSessionSaver({
    env,
    sessions,
    read: () => session.saved(),
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
  const takeUp = createTakeUp(session, { saver, tabs });
  const surroundings = watchSurroundings(session, { saver, tabs });
  return {
    load: tabs.load,
    send: tabs.handle,
    begin(journal) {
      tabs.begin(journal);
      saver.begin(journal);
    },
    receive(event, after) {
      saver.hear(event, after);
      tabs.hear(event);
    },
    perform(effect) {
      switch (effect.type) {
        case 'store':
          return void saver.claim().then((outcome) => {
            // A conflict comes as an input of its own.
            if (outcome !== 'conflict') session.post({ type: 'stored', runId: effect.runId });
          });
        case 'read-again':
          return takeUp.during(readStored(session, saver, effect));
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
          return tabs.lost();
      }
    },
    settle: takeUp.settled,
    whenStored: saver.whenStored,
    journalOf: saver.journalOf,
    shown: () => ({ ...tabs.shown(), isSettled: tabs.isSettled() && saver.isSettled() }),
    others: reduceOthers,
    replies: tabs.replies,
    async close() {
      await takeUp.allSettled();
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
