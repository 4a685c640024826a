import type { AgentState } from '../graph/types.ts';
import { nothing as none } from '../kit/memoize.ts';
import { stateAtPath } from '../run/state-at.ts';
import { firstPersistence } from './agent-session.ts';
import { SessionTitle } from './conversation/session-title.ts';
import type { Replies } from './replies.ts';
import type { AttachedSession, Persistence } from './persistence.ts';

/** Creates the persistence of a session without a store: it keeps the title, writes nothing, and nobody shares it. */
export function createUnstored(
  session: Pick<AttachedSession, 'process' | 'post' | 'current'>,
  replies: Replies,
): Persistence {
  const title = new SessionTitle();
  const persistence = firstPersistence(undefined);
  let before: AgentState | null = null;
  return {
    load: async () => ({ record: null, error: null }),
    send: (input) => session.process(input),
    begin: ({ base }) => void (before = base),
    receive(event, after) {
      if (event.seq === null) return;
      if (event.type === 'section-change' && event.erased !== undefined && before !== null) {
        const erased = new Set(event.erased);
        const sections = stateAtPath(before, event.path)?.context.store.sections ?? [];
        title.forgetThatOf(sections.flatMap(({ messages }) => messages.filter(({ id }) => erased.has(id))));
      }
      before = after;
    },
    perform(effect) {
      if (effect.type === 'erase') title.forget();
      // As after a write, which takes time.
      else if (effect.type === 'store')
        queueMicrotask(() => session.post({ type: 'stored', runId: effect.runId }));
    },
    settle: async () => ({ stored: false, forkedTo: null }),
    whenStored: null,
    untilWritten: () => null,
    journalOf: () => null,
    facts: () => ({
      title: title.of(session.current()),
      persistence,
      where: 'tab',
      connection: 'open',
      unsent: none,
      limits: null,
      isSettled: true,
    }),
    others: null,
    replies,
    close: async () => undefined,
  };
}
