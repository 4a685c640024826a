import type { AgentState } from '../../graph/types.ts';
import { stateAt } from '../../run/state-at.ts';
import { firstPersistence } from '../agent-session.ts';
import { createSessionTitle } from '../conversation/session-title.ts';
import type { Saved } from './plan-write.ts';
import type { SessionSaver } from './session-saver.ts';

const nothing = (): void => undefined;

/** Creates the saver of a session without a store: it keeps the title and writes nothing. */
export function createUnstoredSaver({ read }: { readonly read: () => Saved }): SessionSaver {
  const title = createSessionTitle();
  const persistence = firstPersistence(undefined);
  let before: AgentState | null = null;
  return {
    load: async () => null,
    recover: () => false,
    journalOf: () => null,
    begin: ({ base }) => void (before = base),
    hear(event, after) {
      if (event.seq === null) return;
      if (event.type === 'section-change' && event.erased !== undefined && before !== null) {
        const erased = new Set(event.erased);
        const sections = stateAt(before, event.path)?.context.store.sections ?? [];
        title.forgetThatOf(sections.flatMap(({ messages }) => messages.filter(({ id }) => erased.has(id))));
      }
      before = after;
    },
    schedule: nothing,
    flush: async () => 'saved',
    whenStored: null,
    erase: title.forget,
    leave: nothing,
    nudge: nothing,
    wasRemoved: async () => false,
    hasMoved: async () => null,
    epochs: () => ({ taken: 0, known: 0 }),
    command: nothing,
    claim: async () => 'saved',
    stored: () => null,
    retry: nothing,
    pause: nothing,
    forked: nothing,
    isBack: async () => false,
    persistence: () => persistence,
    isSettled: () => true,
    title: () => title.of(read()),
    close: nothing,
  };
}
