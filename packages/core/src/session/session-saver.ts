import type { Env } from '../graph/env.ts';
import { isAgentError } from '../kit/agent-error.ts';
import { errorInfo } from '../graph/error-info.ts';
import { text } from '../graph/message.ts';
import { messages, status } from '../graph/agent-state/accessors.ts';
import type { AgentState } from '../graph/types.ts';
import type { PersistenceState } from './agent-session.ts';
import type { SessionRecord, SessionStore } from './stores/session-store.ts';

/** Shortest time between two writes of one session, in milliseconds. */
const intervalMs = 500;
const titleLength = 60;

export type SessionSaver = {
  readonly load: () => Promise<SessionRecord | null>;
  /** Saves soon; the state is read when the write begins. */
  readonly schedule: () => void;
  /** Saves now. Rejects only for a `session-conflict`; other failures are in `persistence()`. */
  readonly flush: () => Promise<void>;
  readonly persistence: () => PersistenceState;
  readonly title: () => string;
  readonly setTitle: (title: string) => void;
  readonly dispose: () => void;
};

/** Writes one session, one write at a time, and only when something has changed. */
export function createSessionSaver(options: {
  id: string;
  agentName: () => string;
  sessions: SessionStore | undefined;
  env: Env;
  /** The state to save. */
  read: () => AgentState;
  onChange: () => void;
}): SessionSaver {
  const { id, sessions, env, onChange } = options;
  let record: SessionRecord | null = null;
  let chosenTitle: string | null = null;
  let persistence: PersistenceState = {
    status: sessions ? 'saved' : 'off',
    durability: sessions?.durability ?? 'none',
    error: null,
  };
  let timer: ReturnType<typeof setTimeout> | null = null;
  let tail: Promise<void> = Promise.resolve();
  let lastWrite = -Infinity;

  function show(next: Partial<PersistenceState>): void {
    persistence = { ...persistence, ...next };
    onChange();
  }

  const title = (): string => chosenTitle ?? record?.title ?? titleOf(options.read());

  async function write(store: SessionStore): Promise<void> {
    const state = options.read();
    const isUnchanged = record !== null && record.state === state && record.title === title();
    if (isUnchanged || (record === null && messages(state).length === 0)) return;
    lastWrite = env.monotonic();
    if (persistence.status !== 'degraded') show({ status: 'saving' });
    const expectedVersion = record?.version ?? 0;
    try {
      record = await store.save(toRecord(state, expectedVersion), { expectedVersion });
      show({ status: 'saved', error: null });
    } catch (error) {
      show({ status: 'degraded', error: errorInfo(error) });
      if (isAgentError(error, 'session-conflict')) throw error;
    }
  }

  function toRecord(state: AgentState, version: number): SessionRecord {
    return {
      id,
      version,
      title: title() || titleOf(state),
      agentName: options.agentName(),
      parentId: record?.parentId ?? null,
      createdAt: record?.createdAt ?? state.createdAt,
      updatedAt: env.now(),
      status: 'active',
      executionStatus: status(state),
      state,
    };
  }

  function flush(): Promise<void> {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (!sessions) return Promise.resolve();
    const done = tail.then(() => write(sessions));
    tail = done.catch(() => undefined);
    return done;
  }

  return {
    async load() {
      record = sessions ? await sessions.load(id) : null;
      return record;
    },
    schedule() {
      if (!sessions || timer !== null) return;
      const delay = Math.max(0, lastWrite + intervalMs - env.monotonic());
      timer = setTimeout(() => void flush().catch(() => undefined), delay);
    },
    flush,
    persistence: () => persistence,
    title,
    setTitle(next) {
      chosenTitle = next;
    },
    dispose() {
      if (timer !== null) clearTimeout(timer);
    },
  };
}

function titleOf(state: AgentState): string {
  const first = messages(state).find((message) => message.role === 'user');
  const line = first ? text(first).trim().replace(/\s+/g, ' ') : '';
  return line.length > titleLength ? `${line.slice(0, titleLength - 1)}…` : line;
}
