import { messages } from '@vitrine/core/internal/graph/agent-state/accessors';
import type { Env } from '@vitrine/core/internal/graph/env';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import type { AgentEvent } from '@vitrine/core/internal/run/events';
import { type PersistenceState, firstPersistence } from '@vitrine/core/internal/session/agent-session';
import {
  answeringStore,
  createSaveQueue,
  type SaveOutcome,
  type SaveQueue,
  untilStored,
  untilWritten,
} from './save-queue.ts';
import { runError } from '@vitrine/core/internal/graph/agent-state/ending-error';
import type {
  SessionLoad,
  SessionRecord,
  SessionStore,
} from '@vitrine/core/internal/session/store/session-store';
import { loadedSession } from '@vitrine/core/internal/session/store/loaded-session';
import { createChangeLog, isSooner, writeDue } from './change-log.ts';
import type { Stored } from './plan-write.ts';
import type { Saved } from '@vitrine/core/internal/session/persistence';
import { createSessionWriter, type HeadChange, type Writer } from './writer.ts';
import { isDeleted } from '@vitrine/core/internal/session/store/is-deleted';
import { createSessionTitle } from '@vitrine/core/internal/session/conversation/session-title';

/** The shortest time between two background writes, in milliseconds. */
const intervalMs = 500;

/** Keeps a session stored: it receives the events and writes them when they are due. */
export type SessionSaver = {
  /**
   * Resolves with the stored session or null; `begun` is a read under way. Rejects when it cannot be read;
   * then nothing is written.
   */
  readonly load: (begun?: Promise<SessionLoad | null>) => Promise<SessionRecord | null>;
  /**
   * Ends a conflict when the record that was read last is the result of a write of this session whose answer was lost.
   * False when another writer has the session.
   */
  readonly recoverOwnWrite: () => boolean;
  /** The id of the stored journal that a new journal on this base continues; null for any other base. */
  readonly journalOf: (base: AgentState | null) => string | null;
  /** Begins a journal. */
  readonly begin: (journal: { readonly id: string; readonly base: AgentState }) => void;
  /** Records an event of that journal with the state after it. */
  readonly onEvent: (event: AgentEvent, after: AgentState) => void;
  /** Schedules a write. The write reads the session when it begins. */
  readonly schedule: () => void;
  /** Writes now when there are changes. Never rejects. */
  readonly flush: () => Promise<SaveOutcome>;
  /**
   * Resolves when all changes up to now are stored. Null without a store.
   * Rejects with the error of the store (`session-storage` when it is full or unavailable), or with
   * `session-conflict` after a write of another writer.
   */
  readonly whenStored: (() => Promise<void>) | null;
  readonly untilWritten: () => Promise<unknown> | null;
  /** Erases the stored old messages at once after they were replaced, and the title derived from them. */
  readonly erase: () => void;
  /**
   * Writes now because the page is leaving. A failure that the leaving page may have caused is not stored.
   */
  readonly leave: () => void;
  /** Repeats a failed write soon. */
  readonly nudge: () => void;
  /** True when the stored entry that was written or read is gone. */
  readonly wasRemoved: () => Promise<boolean>;
  readonly hasMoved: StoredElsewhere['hasMoved'];
  /** The last epoch that this session took for a run, and the newest that its writes know; 0 before that. */
  readonly epochs: Writer['epochs'];
  /** Records the id of a command, which is stored with its effects. */
  readonly command: (id: string) => void;
  /** Writes now and takes the writer epoch for a run that begins. Never rejects. */
  readonly claim: () => Promise<SaveOutcome>;
  /** The content that was last written or read; null when nothing is stored. */
  readonly latest: () => Stored | null;
  /** Schedules a retry after a pause. */
  readonly retry: () => void;
  /** Stops writes while another tab writes. */
  readonly pause: (isPaused: boolean) => void;
  /** Records the id of the session that holds answers which could not be stored. */
  readonly noteFork: (sessionId: string) => void;
  /** True when the deleted session is stored again because the deletion was undone. */
  readonly isBack: () => Promise<boolean>;
  readonly persistence: () => PersistenceState;
  /** False while a write is due, active or failed. */
  readonly isSettled: () => boolean;
  readonly title: () => string;
  /** Stops all writes. */
  readonly close: () => void;
};

export type SaverOptions = {
  readonly sessions: SessionStore;
  readonly env: Env;
  readonly read: () => Saved;
  readonly onChange: () => void;
  /** Called when a write takes all changes up to now. */
  readonly onWrite: () => void;
  /** Called when another writer changed the session. */
  readonly onConflict: () => void;
  /** Called when a late read finds a stored session and this session is still untouched. */
  readonly onLate: () => void;
  /** Takes over the change of the head by another device. False when that cannot be done at once. */
  readonly takeHead: (change: HeadChange) => boolean;
};

async function loadIn(sessions: SessionStore, { id }: Pick<Saved, 'id'>): Promise<SessionLoad | null> {
  return id === null ? null : sessions.load(id);
}

/** Creates the saver of one session. It runs one write at a time and writes only changes. */
export function createSessionSaver(options: SaverOptions): SessionSaver {
  const { sessions, env, read: current, takeHead } = options;
  const log = createChangeLog(env, sessions);
  const title = createSessionTitle();
  const { store, isSilent } = answeringStore(sessions, env);
  const writer = createSessionWriter({ store, env, log, title, current, takeHead });
  let isPaused = false;
  const queue = createSaveQueue({
    ...options,
    writer,
    isSilent,
    isPaused: () => isPaused,
    isUnread: () => current().isUnread,
    reread: loadStored,
    isFailing: () => isFailing(current().state, writer.latest()?.state),
    first: () => firstPersistence(sessions),
    onLate: () => void (!isPaused && isUntouched(current()) && options.onLate()),
  });
  const { clock, flush } = queue;
  const untilInterval = (): number => Math.max(0, intervalMs - clock.sinceWriteMs());

  async function loadStored(): Promise<SessionRecord | null> {
    const load = await loadIn(sessions, current());
    return load && loadedSession(load);
  }

  const elsewhere = createStoredElsewhere({
    sessions,
    read: loadStored,
    latest: writer.latest,
    isBusy: queue.isBusy,
  });

  return {
    load: (begun) => queue.read(async () => begun ?? loadIn(sessions, current())),
    recoverOwnWrite: () => recoverQueued(writer, queue),
    journalOf: writer.journalOf,
    begin(journal) {
      if (writer.begin(journal)) queue.goOn();
    },
    onEvent(event, after) {
      if (event.seq === null || isPaused) return;
      const { length } = log.waiting();
      if (title.forgetThatOf(log.onEvent(event, after))) return clock.request(0);
      const waiting = log.waiting();
      if (clock.isSet() && !isSooner(event, length, waiting.length)) return;
      const ageMs = waiting.since === null ? 0 : env.monotonic() - waiting.since;
      clock.request(writeDue(event, { length: waiting.length, ageMs, sinceWriteMs: clock.sinceWriteMs() }));
    },
    schedule: () => clock.request(untilInterval()),
    flush,
    whenStored: () => untilStored(queue),
    untilWritten: () => untilWritten(queue),
    erase() {
      log.erase();
      title.forget();
      void flush();
    },
    leave: queue.leave,
    nudge() {
      // The store also reports the write in progress, so a busy queue is left alone.
      if (queue.persistence().status === 'degraded' && !queue.isBusy()) clock.hurry(untilInterval());
    },
    ...elsewhere,
    epochs: writer.epochs,
    claim() {
      writer.claim();
      return flush();
    },
    command: log.command,
    latest: writer.latest,
    retry: clock.retry,
    pause: (isNow) => void (isPaused = isNow),
    noteFork: queue.noteFork,
    persistence: queue.persistence,
    isSettled: queue.isSettled,
    title: () => title.of(current()),
    close: queue.close,
  };
}

/** Ends a conflict with a write of the session itself; false for any other. */
function recoverQueued(writer: Writer, { goOn }: SaveQueue): boolean {
  if (!writer.recoverOwnWrite()) return false;
  goOn();
  return true;
}

/** True for a session without messages, queue, draft or title. The stored session may replace it. */
function isUntouched({ state, queue, draft, title }: Saved): boolean {
  return messages(state).length === 0 && queue.length === 0 && draft === '' && title === null;
}

/** True for a failure that is not stored yet. */
function isFailing(state: AgentState, known: AgentState | undefined): boolean {
  return runError(state) !== null && (known === undefined || runError(known) === null);
}

/** Checks for a deletion, or its undoing, by another page. */
type StoredElsewhere = {
  /**
   * True when the stored session was deleted. A session that the browser evicted was not; it is saved anew.
   */
  readonly wasRemoved: () => Promise<boolean>;
  /** True when another page or device wrote since; null when that is not known now. */
  readonly hasMoved: () => Promise<boolean | null>;
  /** True when the deleted session is stored again because the deletion was undone. */
  readonly isBack: () => Promise<boolean>;
};

function createStoredElsewhere(options: {
  readonly sessions: SessionStore;
  readonly read: () => Promise<SessionRecord | null>;
  readonly latest: () => Stored | null;
  readonly isBusy: () => boolean;
}): StoredElsewhere {
  const { sessions, read, latest, isBusy } = options;
  return {
    async wasRemoved() {
      const known = latest();
      if (known === null || isBusy()) return false;
      try {
        const found = await sessions.load(known.head.id);
        return isGone(found) && latest() === known && !isBusy();
      } catch {
        return false;
      }
    },
    async hasMoved() {
      const known = latest();
      if (known === null || isBusy()) return null;
      try {
        const found = await sessions.load(known.head.id);
        if (found.kind !== 'there' || latest() !== known || isBusy()) return null;
        return found.session.version !== known.version;
      } catch {
        return null;
      }
    },
    async isBack() {
      const record = await read().catch(() => null);
      const known = latest();
      // Another session may have taken the id of an erased one.
      return (
        record !== null && !isDeleted(record) && (known === null || known.journalId === record.journal.id)
      );
    },
  };
}

function isGone(found: SessionLoad): boolean {
  if (found.kind === 'there') return isDeleted(found.session);
  return found.kind === 'absent' && found.removedAt !== null;
}
