import { messages, status } from '../graph/agent-state/accessors.ts';
import type { Env } from '../graph/env.ts';
import { type ErrorInfo, errorInfo } from '../graph/error-info.ts';
import type { Message } from '../graph/message.ts';
import type { AgentState } from '../graph/types.ts';
import { isAgentError } from '../kit/agent-error.ts';
import type { PersistenceState } from './agent-session.ts';
import { firstPersistence } from './first-persistence.ts';
import { runError } from './run-error.ts';
import type { SessionRecord, SessionStore } from './stores/session-store.ts';
import { type Content, isWorthSaving, type Saved } from './is-worth-saving.ts';
import { titleOf } from './title-of.ts';

/** Shortest time between two writes of one session, in milliseconds. */
const intervalMs = 500;
const firstRetryMs = 1000;
const lastRetryMs = 30_000;
/** A page that is not gone after so many milliseconds stays. */
const leaveMs = 1000;

/** What became of a write; `conflict`: the session was changed elsewhere. */
export type SaveOutcome = 'saved' | 'failed' | 'conflict';

export type SessionSaver = {
  /** What is stored, null when there is nothing; `begun` is a read that goes on already. Rejects when it cannot be read; then nothing is written. */
  readonly load: (begun?: Promise<SessionRecord | null>) => Promise<SessionRecord | null>;
  /** Saves soon; what is saved is read when the write begins. */
  readonly schedule: () => void;
  /** Saves now, if there is anything to save. Never rejects. */
  readonly flush: () => Promise<SaveOutcome>;
  /** The page is about to go away: saves now, and takes no failure for one that may only come of that. */
  readonly leave: () => void;
  /** Tries again soon what could not be written. */
  readonly nudge: () => void;
  /** True when the entry that was written or read is not there any more. */
  readonly wasRemoved: () => Promise<boolean>;
  /** The person's messages of a state that were never written. */
  readonly unsaved: (state: AgentState) => readonly Message[];
  readonly persistence: () => PersistenceState;
  readonly title: () => string;
  /** The messages were replaced: a title that was made of the old ones goes. */
  readonly forgetTitle: () => void;
  /** Writes nothing any more. */
  readonly close: () => void;
};

type Version = {
  readonly number: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly parentId: string | null;
};

/** Writes one session, one write at a time, and only when something has changed. */
export function createSessionSaver(options: {
  readonly sessions: SessionStore | undefined;
  readonly env: Env;
  readonly read: () => Saved;
  readonly onChange: () => void;
}): SessionSaver {
  const { sessions, env, read, onChange } = options;
  let version: Version | null = null;
  let written: Content | null = null;
  let ownTitle: { readonly text: string; readonly isDerived: boolean } | null = null;
  let isClosed = false;
  /** Nothing is written over what has not been read. */
  let isReadable = false;
  let isWriting = false;
  let isLeaving = false;
  let cancelTimer: (() => void) | null = null;
  let retries = 0;
  let lastWrite = -Infinity;
  let tail: Promise<unknown> = Promise.resolve();
  let persistence = firstPersistence(sessions);

  function show(status: PersistenceState['status'], error: ErrorInfo | null = null): void {
    persistence = { ...persistence, status, error };
    onChange();
  }

  function later(ms: number): void {
    cancelTimer?.();
    cancelTimer = env.schedule(ms, () => {
      cancelTimer = null;
      void flush();
    });
  }

  function title(saved: Saved): string {
    const derived = titleOf(saved.state);
    if (ownTitle === null && derived !== '') ownTitle = { text: derived, isDerived: true };
    return saved.title ?? ownTitle?.text ?? '';
  }

  async function write(store: SessionStore): Promise<SaveOutcome> {
    const saved = { ...read(), title: title(read()) };
    const { id } = saved;
    if (isClosed || !isReadable || id === null || !isWorthSaving(saved, written)) return 'saved';
    lastWrite = env.monotonic();
    isWriting = true;
    if (persistence.status !== 'degraded') show('saving');
    try {
      const expectedVersion = version?.number ?? 0;
      const record = recordOf(saved, id);
      version = { ...record, number: await store.save(record, { expectedVersion }) };
      written = saved;
      retries = 0;
      show('saved');
      return 'saved';
    } catch (thrown) {
      show('degraded', errorInfo(thrown));
      if (isAgentError(thrown, 'session-conflict')) return 'conflict';
      if (!isClosed) later(Math.min(lastRetryMs, firstRetryMs * 2 ** retries++));
      return 'failed';
    } finally {
      isWriting = false;
    }
  }

  async function wasRemoved(): Promise<boolean> {
    const known = version;
    const { id } = read();
    if (sessions === undefined || known === null || id === null || isWriting || isClosed) return false;
    try {
      return (await sessions.load(id)) === null && version === known && !isWriting;
    } catch {
      return false;
    }
  }

  function recordOf(saved: Content, id: string): SessionRecord {
    const { state, agentName, queue, draft } = saved;
    // What is only typed does not bring a session to the top of the list.
    const typedAt = written?.state === state ? version?.updatedAt : undefined;
    return {
      id,
      version: version?.number ?? 0,
      title: saved.title,
      agentName,
      parentId: version?.parentId ?? null,
      createdAt: version?.createdAt ?? state.createdAt,
      updatedAt: typedAt ?? env.now(),
      status: 'active',
      executionStatus: status(state),
      state,
      queue,
      draft,
      journal: { id: saved.journalId, records: 0, tail: [] },
      branches: [],
      checkpoints: [],
    };
  }

  function flush(): Promise<SaveOutcome> {
    cancelTimer?.();
    cancelTimer = null;
    if (sessions === undefined) return Promise.resolve('saved');
    const done = tail.then(() => stays()).then(() => write(sessions));
    tail = done;
    return done;
  }

  /** A browser breaks off requests before it hides the page: a run that fails by it was interrupted. */
  async function stays(): Promise<void> {
    if (!isLeaving || runError(read().state) === null || isFailureWritten()) return;
    await new Promise<void>((resolve) => void env.schedule(leaveMs, resolve));
    isLeaving = false;
  }

  const isFailureWritten = (): boolean => written !== null && runError(written.state) !== null;

  async function load(begun?: Promise<SessionRecord | null>): Promise<SessionRecord | null> {
    const { id } = read();
    if (sessions === undefined || id === null) {
      isReadable = true;
      return null;
    }
    try {
      const record = await (begun ?? sessions.load(id));
      isReadable = true;
      version = record === null ? null : { ...record, number: record.version };
      written = record === null ? null : { ...record, journalId: record.journal.id };
      if (record !== null && record.title !== '')
        ownTitle = { text: record.title, isDerived: record.title === titleOf(record.state) };
      show(record === null ? 'idle' : 'saved');
      return record;
    } catch (thrown) {
      show('degraded', errorInfo(thrown));
      // Where there is no storage at all, nothing can be overwritten: the session goes on in memory.
      isReadable = isAgentError(thrown, 'session-storage');
      if (isReadable) return null;
      throw thrown;
    }
  }

  return {
    load,
    flush,
    schedule() {
      if (sessions === undefined || isClosed || cancelTimer !== null) return;
      later(Math.max(0, lastWrite + intervalMs - env.monotonic()));
    },
    leave() {
      isLeaving = true;
      void flush();
    },
    nudge() {
      if (persistence.status === 'degraded' && isReadable && !isClosed)
        later(Math.max(0, lastWrite + intervalMs - env.monotonic()));
    },
    wasRemoved,
    unsaved(state) {
      const known = new Set(written === null ? [] : messages(written.state).map(({ id }) => id));
      return messages(state).filter(({ id, role }) => role === 'user' && !known.has(id));
    },
    persistence: () => persistence,
    title: () => title(read()),
    forgetTitle() {
      if (ownTitle?.isDerived === true) ownTitle = null;
    },
    close() {
      isClosed = true;
      cancelTimer?.();
      cancelTimer = null;
    },
  };
}
