import type { AgentState } from '../../graph/types.ts';
import type { SessionRecord } from '../stores/session-store.ts';
import { isAhead } from './is-ahead.ts';

/** The number of journal ids that are remembered. */
const maxJournals = 50;

/**
 * The journal ids of a session in order. They decide whether a state is newer than the stored
 * record.
 */
export type KnownJournals = {
  readonly begin: (journalId: string) => void;
  /** Adds the earlier journals that another tab reports. */
  readonly learn: (journalId: string, earlier: readonly string[]) => void;
  readonly current: () => string;
  readonly earlier: () => readonly string[];
  /** True when `own`, a state of the current journal, is newer than the stored record. */
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
