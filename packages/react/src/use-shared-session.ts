'use client';

import type { AgentDefinition, AgentSession, AgentSessionOptions } from '@vitrine/core';
import type { SessionSettings } from '@vitrine/core/types';
import { useContext, useEffect, useInsertionEffect, useMemo, useState } from 'react';
import { SessionStoreContext } from './agent-context.ts';
import { createOwnSessions, namedSession } from './registry.ts';
import { createSessionUser } from './session-users.ts';
import { readySession } from './shared-session.ts';
import { useSteadyStore } from './use-steady-store.ts';

/** Options of `useAgent` and `<AgentSession>`. Only `sessionId` and `sessions` say which session it is; all others may change. */
export type UseAgentOptions = Omit<AgentSessionOptions, 'agent' | 'createStore'>;

/** A session that the application made itself. */
export type SessionSource = { readonly session: AgentSession };

/** The session that a component names, its own anonymous one, or the one that it is given; used while it is mounted. */
export function useSharedSession(
  source: AgentDefinition | SessionSource,
  options: UseAgentOptions,
): AgentSession {
  const provided = useContext(SessionStoreContext);
  const sessions = useSteadyStore(options.sessions ?? provided);
  const [own] = useState(createOwnSessions);
  const settings = settingsOf(source, options);
  const first = { ...options, ...settings, sessions: sessions ?? undefined };
  const shared =
    'session' in source
      ? readySession(source.session)
      : options.sessionId === undefined
        ? own.get(sessions, first)
        : namedSession(options.sessionId, sessions, first);

  // One for each session: what happens in the last one is not told to the callbacks of the next.
  const user = useMemo(() => createSessionUser(shared.session.settings()), [shared]);
  // Callbacks of the last commit are there before anything in it can cause one.
  useInsertionEffect(() => user.update(settings));
  useEffect(() => shared.attach(user), [shared, user]);
  useEffect(() => shared.refresh());
  return shared.session;
}

function settingsOf(source: AgentDefinition | SessionSource, options: UseAgentOptions): SessionSettings {
  const agent = 'session' in source ? source.session.settings().agent : source;
  const { publish, resume, onBusy, onConflict, onFinish, onError, onEvent } = options;
  return { agent, publish, resume, onBusy, onConflict, onFinish, onError, onEvent };
}
