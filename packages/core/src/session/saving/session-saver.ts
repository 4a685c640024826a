import { messages } from '../../graph/agent-state/accessors.ts';
import type { Env } from '../../graph/env.ts';
import type { Message } from '../../graph/message.ts';
import type { AgentState } from '../../graph/types.ts';
import type { AgentEvent } from '../../run/events.ts';
import type { PersistenceState } from '../agent-session.ts';
import { firstPersistence } from './first-persistence.ts';
import { runError } from '../run-error.ts';
import type { SessionRecord, SessionStore } from '../stores/session-store.ts';
import { createChangeLog } from './change-log.ts';
import { createSaveQueue, type SaveOutcome } from './save-queue.ts';
import type { Saved } from './saved.ts';
import { createSessionTitle } from './session-title.ts';
import { isSooner, writeDue } from './write-due.ts';
import { createStoredElsewhere } from './stored-elsewhere.ts';
import { createWriter } from './writer.ts';

/** Shortest time between two writes that nobody waits for, in milliseconds. */
const intervalMs = 500;

/** Keeps a session stored: hears what happens, and writes it when it is due. */
export type SessionSaver = {
  /** What is stored, null when there is nothing; `begun` is a read that goes on already. Rejects when it cannot be read; then nothing is written. */
  readonly load: (begun?: Promise<SessionRecord | null>) => Promise<SessionRecord | null>;
  /** The id of the stored journal, where a new journal on this base goes on with it. */
  readonly journalOf: (base: AgentState | null) => string | null;
  /** A journal begins. */
  readonly begin: (journal: { readonly id: string; readonly base: AgentState }) => void;
  /** An event of that journal, and the state after it. */
  readonly hear: (event: AgentEvent, after: AgentState) => void;
  /** Saves soon; what is saved is read when the write begins. */
  readonly schedule: () => void;
  /** Saves now, if there is anything to save. Never rejects. */
  readonly flush: () => Promise<SaveOutcome>;
  /** Resolves when everything up to now is stored; rejects with what keeps it from being stored. Null without a store. */
  readonly whenStored: (() => Promise<void>) | null;
  /** Messages were replaced: what is stored of the old ones goes at once, and a title that was made of them. */
  readonly erase: () => void;
  /** The page is about to go away: saves now, and takes no failure for one that may only come of that. */
  readonly leave: () => void;
  /** Tries again soon what could not be written. */
  readonly nudge: () => void;
  /** True when the entry that was written or read is not there any more. */
  readonly wasRemoved: () => Promise<boolean>;
  /** The person's messages of a state that were never written. */
  readonly unsaved: (state: AgentState) => readonly Message[];
  /** Writes nothing as long as another tab does. */
  readonly pause: (isPaused: boolean) => void;
  /** Answers that could not be stored went to a session of their own. */
  readonly forked: (sessionId: string) => void;
  /** The session that was deleted is stored again: the deletion was taken back. */
  readonly isBack: () => Promise<boolean>;
  readonly persistence: () => PersistenceState;
  readonly title: () => string;
  /** Writes nothing any more. */
  readonly close: () => void;
};

type SaverOptions = {
  readonly sessions: SessionStore | undefined;
  readonly env: Env;
  readonly read: () => Saved;
  readonly onChange: () => void;
  /** Somebody else has written. */
  readonly onConflict: () => void;
};

/** Writes one session, one write at a time, and only what has changed. */
export function createSessionSaver(options: SaverOptions): SessionSaver {
  const { sessions, env, read: saved, onChange, onConflict } = options;
  const log = createChangeLog(env, sessions);
  const title = createSessionTitle();
  const writer = sessions ? createWriter({ store: sessions, env, log, title, saved }) : null;
  const first = (): PersistenceState => firstPersistence(sessions);
  let isPaused = false;
  const shown = { first, onChange, onConflict };
  const queue = createSaveQueue({ ...shown, writer, env, isFailing, isPaused: () => isPaused });
  const { clock, flush } = queue;
  const untilInterval = (): number => Math.max(0, intervalMs - clock.sinceWriteMs());

  function isFailing(): boolean {
    const known = writer?.stored()?.state;
    return runError(saved().state) !== null && (known === undefined || runError(known) === null);
  }

  async function stored(): Promise<SessionRecord | null> {
    const { id } = saved();
    return sessions === undefined || id === null ? null : sessions.load(id);
  }

  async function whenStored(): Promise<void> {
    if ((await flush()) !== 'saved') throw queue.failure();
  }

  const { wasRemoved, isBack } = createStoredElsewhere({
    sessions,
    read: stored,
    stored: () => writer?.stored() ?? null,
    isBusy: queue.isBusy,
  });

  return {
    load: (begun) => queue.read(async () => begun ?? stored()),
    journalOf: (base) => writer?.journalOf(base) ?? null,
    begin(journal) {
      if (writer === null) log.begin(journal);
      else if (writer.begin(journal)) queue.goOn();
    },
    hear(event, after) {
      if (event.seq === null || isPaused) return;
      const { length } = log.waiting();
      log.hear(event, after);
      const waiting = log.waiting();
      if (writer === null || (clock.isSet() && !isSooner(event, length, waiting.length))) return;
      const ageMs = waiting.since === null ? 0 : env.monotonic() - waiting.since;
      clock.request(writeDue(event, { length: waiting.length, ageMs, sinceWriteMs: clock.sinceWriteMs() }));
    },
    schedule: () => clock.request(untilInterval()),
    flush,
    whenStored: writer && whenStored,
    erase() {
      log.erase();
      title.forget();
      void flush();
    },
    leave: queue.leave,
    nudge() {
      if (queue.persistence().status === 'degraded') clock.hurry(untilInterval());
    },
    wasRemoved,
    isBack,
    unsaved(state) {
      const stored = writer?.stored() ?? null;
      const known = new Set(stored === null ? [] : messages(stored.state).map(({ id }) => id));
      return messages(state).filter(({ id, role }) => role === 'user' && !known.has(id));
    },
    pause(isNow) {
      isPaused = isNow;
    },
    forked: queue.forked,
    persistence: queue.persistence,
    title: () => title.of(saved()),
    close: queue.close,
  };
}
