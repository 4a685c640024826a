'use client';

import type { AgentDefinition, AgentSession, AgentSessionOptions } from '@vitrine/core';
import type { SessionSettings } from '@vitrine/core/types';
import { useContext, useEffect, useInsertionEffect, useMemo, useState } from 'react';
import { SessionStoreContext } from './agent-context.ts';
import { createOwnSessions, namedSession } from './registry.ts';
import { createSessionUser } from './session-users.ts';
import { readySession } from './shared-session.ts';
import { useSteadyStore } from './use-steady-store.ts';

/**
 * Options of `useAgent` and `<AgentSession>`. `sessionId` and `sessions` identify the session; all others
 * may change.
 */
export type UseAgentOptions = Omit<AgentSessionOptions, 'agent' | 'createStore'>;

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
  const shared =
    'session' in source
      ? readySession(source.session)
      : options.sessionId === undefined
        ? own.get(sessions, first)
        : namedSession(options.sessionId, sessions, first);

  // One user for each session, so that events of the old session do not reach the callbacks of the new one.
  const user = useMemo(() => createSessionUser(shared.session.settings()), [shared]);
  // The callbacks of a commit are set before anything in it can call them.
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
