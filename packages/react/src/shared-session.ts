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

/** A session as the components of a page share it. */
export type SharedSession = {
  /** The same controller and the same store for as long as a component holds this. */
  readonly session: AgentSession;
  /** From now on a component uses it; the returned function ends that. */
  readonly attach: (user: SessionUser) => () => void;
  /** The settings of a component may have changed. */
  readonly refresh: () => void;
};

/**
 * A session that rests while no component uses it: what goes on goes on until it has ended and is saved, then timers and
 * subscriptions end. When it is used again (a hidden tab is shown, a route comes back from a cache) it goes on where it was,
 * with the same functions and the same store. `onHold` is told while there is something that must not be forgotten.
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

  const rest = createRest({
    store: () => store,
    live: () => live,
    isUsed: () => users.count() > 0,
    isStored: first.sessions !== undefined,
    onHold,
  });

  /** The session behind the controller, whoever calls it and whenever. */
  function awake(): AgentSession {
    if (rest.end()) live = goOn(live, store, { ...first, ...settings });
    if (users.count() === 0) rest.soon();
    return live;
  }

  function refresh(): void {
    if (users.count() === 0) return;
    const next = read();
    if (!differ(settings, next)) return;
    settings = next;
    live.configure(next);
  }

  // After the commit, when every component has told its agent: children come before their parents.
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
        if (users.count() === 0) rest.soon();
      };
    },
    session: {
      ...commandsOf(awake),
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
      flush: () => live.flush(),
      dispose: rest.begin,
    },
  };
}

/** The settings with more listeners of events. */
function withListeners(
  settings: SessionSettings,
  listeners: ReadonlySet<AgentEventListener>,
): SessionSettings {
  const onEvent: AgentEventListener = (...told) => {
    settings.onEvent?.(...told);
    for (const listener of listeners) listener(...told);
  };
  return { ...settings, onEvent };
}

function nameOf(id: string | null): string {
  return id === null ? 'one session' : `the session ${JSON.stringify(id)}`;
}

const ready = new WeakMap<AgentSession, SharedSession>();

/** A session that the application made, configures and disposes of itself. */
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
