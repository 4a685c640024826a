import { currentStep } from '@vitrine/core/internal/graph/agent-state/accessors';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import { callOf } from '@vitrine/core/internal/run/state-at';
import type { AttachedSession } from '@vitrine/core/internal/session/persistence';
import type { Replies } from '@vitrine/core/internal/session/replies';
import type { SessionSaver } from '../writer/session-saver.ts';
import type { TakenCommands } from '../session/stored-commands.ts';
import type { SessionRecord } from '@vitrine/core/internal/session/store/session-store';
import type { Transport } from './browser-tabs.ts';
import type { LinkMessage } from './protocol.ts';
import type { RecordLog } from './record-log.ts';

export type LinkedSession = Pick<
  AttachedSession,
  'env' | 'id' | 'sessions' | 'agent' | 'model' | 'state' | 'publisher' | 'post' | 'openAgain' | 'endLife'
>;

export type LinkParts = {
  readonly session: LinkedSession;
  readonly saver: SessionSaver;
  /** The open promises of its callers. */
  readonly replies: Replies;
  readonly taken: TakenCommands;
  readonly journals: KnownJournals;
  readonly records: RecordLog;
  readonly say: (message: LinkMessage) => void;
  readonly transport: Transport;
};

/** True when the first of two states of one journal contains more events. */
function isAhead(state: AgentState, other: AgentState): boolean {
  if (state.seq !== other.seq) return state.seq > other.seq;
  // With an equal `seq` only the states of subagents can differ.
  return (currentStep(state)?.toolExecutions ?? []).some(({ id, childState }) => {
    const before = callOf(other, id)?.childState ?? null;
    return childState !== null && before !== null && isAhead(childState, before);
  });
}

/** The number of journal ids that are remembered. */
const maxJournals = 50;

/** The journal ids of a session in order. They decide whether a state is newer than the stored record. */
export class KnownJournals {
  #ids: readonly string[] = [];

  get current(): string {
    return this.#ids.at(-1) ?? '';
  }

  get earlier(): readonly string[] {
    return this.#ids.slice(0, -1);
  }

  begin(journalId: string): void {
    this.#ids = [...this.#ids.filter((id) => id !== journalId), journalId].slice(-maxJournals);
  }

  /** Adds the earlier journals that another tab reports. */
  learn(journalId: string, earlier: readonly string[]): void {
    this.#ids = [...this.#ids.filter((id) => id !== journalId && !earlier.includes(id)), ...earlier];
  }

  /** True when `own`, a state of the current journal, is newer than the stored record. */
  isLater(own: AgentState, { journal, state }: SessionRecord): boolean {
    return journal.id === this.#ids.at(-1) ? isAhead(own, state) : this.#ids.includes(journal.id);
  }
}
