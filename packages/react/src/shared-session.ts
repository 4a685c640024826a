import {
  type AgentSession,
  type AgentSessionOptions,
  createAgentSession,
  type SessionSnapshot,
} from '@vitrine/core';
import type { AgentEventListener, SessionSettings } from '@vitrine/core/types';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { commandsOf } from './commands.ts';
import { createRest } from './create-rest.ts';
import { goOn } from './rest.ts';
import { createSessionUsers, differ, type SessionUser } from './session-users.ts';

/** A session that the components of a page share. */
export type SharedSession = {
  /** The controller; it and its store keep their identity while a component holds this object. */
  readonly session: AgentSession;
  /** Registers a component as a user; the returned function removes it. */
  readonly attach: (user: SessionUser) => () => void;
  /** Applies the settings of the components, which may have changed. */
  readonly refresh: () => void;
};

/**
 * Creates a session that rests while no component uses it. Running work ends and is saved first, then
 * timers and subscriptions end.
 *
 * When it is used again (a hidden tab is shown, a route comes back from a cache), it continues with the
 * same functions and the same store. `onHold` is called with true while the session must be kept in memory.
 */
export function createSharedSession(
  first: AgentSessionOptions,
  onHold: (isHeld: boolean) => void = () => undefined,
): SharedSession {
  const users = createSessionUsers(first, () => nameOf(live.id()));
  const listeners = new Set<AgentEventListener>();
  const read = (): SessionSettings => withListeners(users.settings(), listeners);
  let settings = read();
  let store!: StoreApi<SessionSnapshot>;
  let live = createAgentSession({
    ...first,
    ...settings,
    createStore: (initial) => (store = createStore<SessionSnapshot>(initial)),
  });

  const isUsed = (): boolean => users.count() > 0;
  const rest = createRest({ live: () => live, isUsed, onHold });
  /** Puts the session to rest soon if no component uses it. */
  const restSoon = (): void => (isUsed() ? undefined : rest.soon());

  /** Returns the running session behind the controller, and continues it if it rested. */
  function awake(): AgentSession {
    if (rest.end()) live = goOn(live, store, { ...first, ...settings });
    // A kept function was called, or a component reads the session before it is mounted.
    if (!isUsed()) onHold(true);
    restSoon();
    return live;
  }

  function refresh(): void {
    if (!isUsed()) return;
    const next = read();
    if (!differ(settings, next)) return;
    settings = next;
    live.configure(next);
  }

  // After the commit, because children update their settings before their parents.
  function electLater(): void {
    queueMicrotask(() => {
      users.elect();
      refresh();
    });
  }

  return {
    refresh,
    attach(user) {
      users.add(user);
      onHold(true);
      void awake().ready;
      electLater();
      return () => {
        users.remove(user);
        electLater();
        restSoon();
      };
    },
    session: {
      ...commandsOf(awake, restSoon),
      id: () => live.id(),
      branches: (messageId) => live.branches(messageId),
      store,
      get ready() {
        return awake().ready;
      },
      onEvent(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      settings: () => live.settings(),
      configure: (next) => live.configure(next),
      isSettled: () => live.isSettled(),
      flush: () => live.flush(),
      dispose: rest.begin,
    },
  };
}

/** Adds event listeners to the settings. */
function withListeners(
  settings: SessionSettings,
  listeners: ReadonlySet<AgentEventListener>,
): SessionSettings {
  const onEvent: AgentEventListener = (...args) => {
    settings.onEvent?.(...args);
    for (const listener of listeners) listener(...args);
  };
  return { ...settings, onEvent };
}

function nameOf(id: string | null): string {
  return id === null ? 'one session' : `the session ${JSON.stringify(id)}`;
}

const ready = new WeakMap<AgentSession, SharedSession>();

/** Wraps a session that the application creates, configures and disposes of. */
export function readySession(session: AgentSession): SharedSession {
  const known = ready.get(session);
  if (known) return known;
  const shared: SharedSession = {
    session,
    refresh: () => undefined,
    attach() {
      void session.ready;
      return () => undefined;
    },
  };
  ready.set(session, shared);
  return shared;
}
