import type { Env } from '../../graph/env.ts';
import type { AgentState } from '../../graph/types.ts';
import { isAgentError } from '../../kit/agent-error.ts';
import type { SessionRecord, SessionStore } from '../stores/session-store.ts';
import { type Attempt, attemptOf, lostAnswer, send } from './attempt.ts';
import type { ChangeLog } from './change-log.ts';
import { momentOf } from './moment-of.ts';
import { planWrite } from './plan-write.ts';
import { type ReadRecord, readRecord } from './read-record.ts';
import type { Saved, Stored } from './saved.ts';
import type { SessionTitle } from './session-title.ts';

/** Knows what is stored of one session, and brings it up to what the session is. One call at a time. */
export type Writer = {
  /**
   * Writes what there is to write; `onBegin` is called when there is something.
   * @throws what the store throws, `session-conflict` when somebody else has written.
   */
  readonly write: (onBegin: () => void) => Promise<void>;
  /** What is stored, with its tail folded. It is written over only once a journal stands on it. */
  readonly read: (reading: Promise<SessionRecord | null>) => Promise<SessionRecord | null>;
  /** The stored journal that a base stands on; null when it is not what was read. */
  readonly journalOf: (base: AgentState | null) => string | null;
  /** A journal begins. @returns true when it stands on what was read. */
  readonly begin: (journal: { readonly id: string; readonly base: AgentState }) => boolean;
  readonly stored: () => Stored | null;
};

export function createWriter(options: {
  readonly store: SessionStore;
  readonly env: Env;
  readonly log: ChangeLog;
  readonly title: SessionTitle;
  readonly saved: () => Saved;
}): Writer {
  const { store, env, log, title } = options;
  let stored: Stored | null = null;
  let found: ReadRecord | null = null;
  /** Writes that failed; one of them may have been made all the same. */
  let doubtful: readonly Attempt[] = [];

  async function write(onBegin: () => void, isAsking = false): Promise<void> {
    const saved = options.saved();
    const { id } = saved;
    if (id === null) return;
    const taken = log.take(saved.state);
    const facts = {
      id,
      title: title.of(saved),
      now: env.now(),
      canAppend: store.append !== undefined,
      // Only a write that succeeds says what became of those that failed.
      isAsking: isAsking || doubtful.length > 0,
    };
    const moment = momentOf(stored, saved, taken, facts);
    const plan = planWrite(stored, moment);
    if (plan.type === 'nothing') return;
    onBegin();
    const attempt = attemptOf(stored, moment, plan, taken);
    try {
      settle(attempt, await send(store, attempt));
    } catch (thrown) {
      if (!isAgentError(thrown, 'session-conflict')) {
        doubtful = [...doubtful, attempt];
        throw thrown;
      }
      const lost = await lostAnswer(store, id, doubtful);
      if (lost === null) throw thrown;
      settle(lost.attempt, lost.version);
      // Two may have written the same: only a write that succeeds says whose it is.
      await write(onBegin, true);
    }
  }

  function settle(attempt: Attempt, version: number): void {
    stored = { ...attempt.next, version };
    doubtful = [];
    log.settle(attempt.taken, attempt.plan.type === 'save');
  }

  return {
    write,
    async read(reading) {
      const record = await reading;
      found = record === null ? null : readRecord(record);
      if (record === null || found === null) return null;
      const { state, checkpoints } = found.live;
      return { ...record, state, checkpoints, journal: { ...record.journal, tail: [] } };
    },
    journalOf: (base) =>
      found !== null && base === found.live.state ? found.stored.journalId || null : null,
    begin(journal) {
      const isFound = found !== null && journal.base === found.live.state;
      if (found !== null && isFound) {
        stored = found.stored;
        doubtful = [];
        log.restore(found.live);
        title.restore(stored.head.title, stored.state);
        found = null;
      }
      log.begin(journal);
      return isFound;
    },
    stored: () => stored,
  };
}
