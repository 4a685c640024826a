import {
  type AgentDefinition,
  type AgentSession,
  type AgentSessionOptions,
  type AgentSessionSnapshot,
  createAgentSession,
  memorySessions,
  type SessionCallbacks,
  type SessionStore,
} from '@vitrine/core';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { createMessageChannel, type MessageChannel } from './message-channel.ts';

/** A session with its store; one per session id, shared by every component that names it. */
export type SessionEntry = {
  readonly session: AgentSession;
  readonly store: StoreApi<AgentSessionSnapshot>;
  readonly messages: MessageChannel;
  /** Callbacks of all components that use the session. */
  readonly callbacks: Set<{ readonly current: SessionCallbacks }>;
  /** Counts a user; the returned function ends its use. */
  readonly retain: () => () => void;
  readonly isReleased: () => boolean;
};

export type EntryOptions = Omit<AgentSessionOptions, 'agent'> & { readonly agent: AgentDefinition };

/** An entry that was made by a render which never became visible is let go after this many milliseconds. */
const unusedMs = 30_000;

const scopes = new Map<SessionStore | null, Map<string, SessionEntry>>();
let sharedMemory: SessionStore | null = null;

/** The entry of a key, made when there is none. On a server every render has its own, and nothing is kept. */
export function acquireEntry(key: string, options: EntryOptions): SessionEntry {
  if (typeof window === 'undefined') return createEntry(createAgentSession(options), () => undefined);
  const scope = options.sessions ?? null;
  const entries = scopes.get(scope) ?? new Map<string, SessionEntry>();
  scopes.set(scope, entries);
  const existing = entries.get(key);
  if (existing) return existing;
  // A named session without a store outlives its components in memory.
  const sessions =
    options.sessions ?? (options.sessionId === undefined ? undefined : (sharedMemory ??= memorySessions()));
  const entry = createEntry(createAgentSession({ ...options, sessions }), () => {
    if (entries.get(key) === entry) entries.delete(key);
  });
  entries.set(key, entry);
  return entry;
}

const entriesOfSessions = new WeakMap<AgentSession, SessionEntry>();

/** The entry of a session that the application made, and disposes of, itself. */
export function entryOf(session: AgentSession): SessionEntry {
  const existing = entriesOfSessions.get(session);
  if (existing) return existing;
  const entry = createEntry(session, null);
  entriesOfSessions.set(session, entry);
  return entry;
}

function createEntry(session: AgentSession, forget: (() => void) | null): SessionEntry {
  const store = createStore<AgentSessionSnapshot>(() => session.getSnapshot());
  const messages = createMessageChannel(session.getSnapshot().state);
  const callbacks = new Set<{ readonly current: SessionCallbacks }>();
  let users = 0;
  let isReleased = false;
  let unsubscribe: (() => void) | null = null;

  function connect(): void {
    if (unsubscribe !== null) return;
    unsubscribe = session.subscribe(sync);
    // Something may have happened between the render and now.
    sync();
  }

  function sync(): void {
    const snapshot = session.getSnapshot();
    if (snapshot === store.getState()) return;
    store.setState(snapshot, true);
    messages.update(snapshot.state);
  }

  function releaseIfUnused(): void {
    if (users > 0 || isReleased || forget === null) return;
    const { status } = session.getSnapshot();
    // A run goes on without its components; the entry stays findable until it has ended.
    if (status === 'submitted' || status === 'streaming') {
      void session.resume().then(releaseIfUnused);
      return;
    }
    isReleased = true;
    unsubscribe?.();
    forget();
    void session.dispose();
  }

  if (forget !== null && typeof window !== 'undefined') {
    session.setCallbacks({
      onFinish: (info) => callbacks.forEach(({ current }) => current.onFinish?.(info)),
      onError: (error) => callbacks.forEach(({ current }) => current.onError?.(error)),
      onEvent: (event) => callbacks.forEach(({ current }) => current.onEvent?.(event)),
    });
    setTimeout(releaseIfUnused, unusedMs);
  }

  return {
    session,
    store,
    messages,
    callbacks,
    retain() {
      users++;
      connect();
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        users--;
        // Not at once: StrictMode and moves within a tree leave and come back in the same turn.
        setTimeout(releaseIfUnused, 0);
      };
    },
    isReleased: () => isReleased,
  };
}
