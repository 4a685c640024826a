'use client';

import type { AgentDefinition, AgentSession, AgentSessionOptions, SessionStore } from '@vitrine/core';
import type { SessionSettings } from '@vitrine/core/types';
import { useContext, useEffect, useInsertionEffect, useMemo, useState } from 'react';
import { SessionStoreContext } from './agent-context.ts';
import { isDevelopment } from '@vitrine/core/internal/kit/freeze';
import { reportUnreadError, warnOnce } from './development.ts';
import {
  attachStore,
  createOwnSessions,
  firstStoreOf,
  namedSession,
  type SessionUser,
  type SharedSession,
} from './session-users.ts';

/**
 * Options of `useAgent` and `<AgentSessionProvider>`. `sessionId` and `sessions` identify the session; all others
 * may change.
 */
export interface UseAgentOptions extends Omit<AgentSessionOptions, 'agent' | 'createStore' | 'owner'> {}

/** A session that the application created itself. */
export type SessionSource = { readonly session: AgentSession };

/**
 * Returns the session of a component: a named one, its own anonymous one, or the given one. The component
 * uses it while mounted.
 */
export function useSharedSession(
  source: AgentDefinition | SessionSource,
  options: UseAgentOptions,
): AgentSession {
  const provided = useContext(SessionStoreContext);
  const sessions = useSteadyStore(options.sessions ?? provided);
  const [own] = useState(createOwnSessions);
  const settings = settingsOf(source, options);
  const first = { ...options, ...settings, sessions: sessions ?? undefined };
  const shared = isReady(source)
    ? readySession(source.session)
    : options.sessionId === undefined
      ? own(sessions, first)
      : namedSession(options.sessionId, sessions, first);

  // One user for each session, so that events of the old session do not reach the callbacks of the new one.
  const user = useMemo(() => createSessionUser(shared.session.settings()), [shared]);
  // The callbacks of a commit are set before anything in it can call them.
  useInsertionEffect(() => user.update(settings));
  useEffect(() => shared.attach(user), [shared, user]);
  useEffect(() => shared.refresh());
  return shared.session;
}

/** False for undefined too, so that the check of agents names it: a module of a circular import has no agent yet. */
function isReady(source: AgentDefinition | SessionSource): source is SessionSource {
  return 'session' in Object(source);
}

function settingsOf(source: AgentDefinition | SessionSource, options: UseAgentOptions): SessionSettings {
  const agent = isReady(source) ? source.session.settings().agent : source;
  const { publish, resume, onBusy, onConflict, onFinish, onError, onEvent } = options;
  return { agent, publish, resume, onBusy, onConflict, onFinish, onError, onEvent };
}

type Held = {
  readonly first: SessionStore | null;
  readonly store: SessionStore | null;
  /** A replacement that must be given twice before it is accepted. */
  readonly candidate: SessionStore | null;
  readonly isUnsteady: boolean;
};

/**
 * Returns a stable store for a component, even when each render creates a new one.
 *
 * React renders again at once when the store changes. If that render gives yet another store, the render
 * itself creates them, and the first one stays. The same holds when a parent creates stores faster than a
 * person could choose them. Of stores for the same place, the first one stays from the start.
 */
export function useSteadyStore(made: SessionStore | null): SessionStore | null {
  const given = made && firstStoreOf(made);
  const [held, setHeld] = useState<Held>({ first: given, store: given, candidate: null, isUnsteady: false });
  const [pace] = useState(createPace);
  const { first, store, isUnsteady } = held;
  if (given !== store && !isUnsteady) setHeld(succeed(held, given));

  useEffect(() => (store === null || made === null ? undefined : attachStore(store, made)), [store, made]);
  useEffect(() => {
    if (isUnsteady && first !== null) warnOnce(first, ({ unsteadyStore }) => unsteadyStore);
  }, [isUnsteady, first]);
  useEffect(
    () => pace(() => setHeld({ first, store: first, candidate: null, isUnsteady: true })),
    [pace, first, store],
  );
  return store;
}

function succeed(held: Held, given: SessionStore | null): Held {
  if (given === null || given === held.candidate) return { ...held, store: given, candidate: null };
  if (held.candidate === null) return { ...held, candidate: given };
  return { ...held, store: held.first, candidate: null, isUnsteady: true };
}

const tooMany = 5;
const withinMs = 1000;

function createPace(): (onTooFast: () => void) => void {
  let times: readonly number[] = [];
  return (onTooFast) => {
    times = [...times, performance.now()].slice(-tooMany);
    const [oldest = 0] = times;
    if (times.length === tooMany && (times.at(-1) ?? 0) - oldest < withinMs) onTooFast();
  };
}

function createSessionUser(
  initial: SessionSettings,
): SessionUser & { readonly update: (settings: SessionSettings) => void } {
  let settings = initial;
  return {
    settings: () => settings,
    update(next) {
      settings = next;
    },
  };
}

const ready = new WeakMap<AgentSession, SharedSession>();

function readySession(session: AgentSession): SharedSession {
  const known = ready.get(session);
  if (known) return known;
  const shared: SharedSession = {
    session,
    refresh: () => undefined,
    attach() {
      void session.ready;
      return isDevelopment ? watchErrors(session) : () => undefined;
    },
  };
  ready.set(session, shared);
  return shared;
}

function watchErrors(session: AgentSession): () => void {
  return session.store.subscribe(({ error }, before) => {
    // A stored session may have failed in a page before this one.
    if (error !== before.error && before.status !== 'loading')
      reportUnreadError(session.store, [session], error);
  });
}
