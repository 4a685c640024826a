import type { AgentState } from '../../graph/types.ts';
import type { SessionRecord } from '../stores/session-store.ts';
import { isAhead } from './is-ahead.ts';

/** So many are remembered. */
const maxJournals = 50;

/** The journals that a session has had, so that it is known what comes after what is stored. */
export type KnownJournals = {
  readonly begin: (journalId: string) => void;
  /** Another tab tells which came before its own. */
  readonly learn: (journalId: string, earlier: readonly string[]) => void;
  readonly current: () => string;
  readonly earlier: () => readonly string[];
  /** True when a state of the current journal has what is stored, and more. */
  readonly isLater: (own: AgentState, record: SessionRecord) => boolean;
};

export function knownJournals(): KnownJournals {
  let ids: readonly string[] = [];
  return {
    begin(journalId) {
      ids = [...ids.filter((id) => id !== journalId), journalId].slice(-maxJournals);
    },
    learn(journalId, earlier) {
      ids = [...ids.filter((id) => id !== journalId && !earlier.includes(id)), ...earlier];
    },
    current: () => ids.at(-1) ?? '',
    earlier: () => ids.slice(0, -1),
    isLater: (own, { journal, state }) =>
      journal.id === ids.at(-1) ? isAhead(own, state) : ids.includes(journal.id),
  };
}
