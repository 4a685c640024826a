import type { AgentDefinition, AgentSessionOptions, SessionCallbacks } from '@vitrine/core';
import { useContext, useEffect, useId, useInsertionEffect, useMemo, useRef, useState } from 'react';
import { SessionStoreContext } from './agent-context.ts';
import { acquireEntry, type SessionEntry } from './session-registry.ts';

/** Options of `useAgent` and `<AgentSession>`. Only `sessionId` and `sessions` say which session it is; the rest may change. */
export type UseAgentOptions = Omit<AgentSessionOptions, 'agent'>;

/** The session that the options name, kept alive while the component is mounted. */
export function useSessionEntry(agent: AgentDefinition, options: UseAgentOptions): SessionEntry {
  const ownKey = useId();
  const provided = useContext(SessionStoreContext);
  const sessions = options.sessions ?? provided ?? undefined;
  const key = options.sessionId ?? ownKey;
  const [generation, setGeneration] = useState(0);
  const latest = useRef<SessionCallbacks>(options);
  // Options that are not identity are taken at creation or read through a reference, so they are no dependencies.
  const entry = useMemo(
    () => acquireEntry(key, { ...options, agent, sessions }),
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- see above
    [key, sessions, generation],
  );

  useInsertionEffect(() => {
    latest.current = options;
    if (entry.session.agent() !== agent) entry.session.setAgent(agent);
  });

  useEffect(() => {
    if (entry.isReleased()) {
      setGeneration((current) => current + 1);
      return undefined;
    }
    entry.callbacks.add(latest);
    const release = entry.retain();
    return () => {
      entry.callbacks.delete(latest);
      release();
    };
  }, [entry]);

  return entry;
}
