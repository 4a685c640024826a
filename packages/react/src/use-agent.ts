import type { AgentDefinition, AgentSession, AgentSessionSnapshot } from '@vitrine/core';
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { type AgentFields, fieldSelectors } from './agent-fields.ts';
import { entryOf, type SessionEntry } from './session-registry.ts';
import { type UseAgentOptions, useSessionEntry } from './use-session-entry.ts';

/** Actions of the session; the same functions for as long as the session lives. */
export type AgentActions = Pick<
  AgentSession,
  | 'sendMessage'
  | 'stop'
  | 'detach'
  | 'resume'
  | 'retry'
  | 'approve'
  | 'reject'
  | 'respondAll'
  | 'setMessages'
  | 'rename'
  | 'clearError'
  | 'reset'
  | 'cancelQueued'
>;

export type UseAgentResult = AgentFields & AgentActions;

/**
 * An agent in a component: its conversation, its status, and what can be done with it. The component renders again
 * only for the fields that it has read; a field read outside rendering gives the present value.
 * @example
 * const { messages, status, sendMessage, stop } = useAgent(assistant, { sessionId });
 */
export function useAgent(agent: AgentDefinition, options?: UseAgentOptions): UseAgentResult;
export function useAgent(ready: { session: AgentSession }): UseAgentResult;
export function useAgent(
  source: AgentDefinition | { session: AgentSession },
  options: UseAgentOptions = {},
): UseAgentResult {
  // Which of the two it is does not change during the life of a component.
  const useEntry = 'session' in source ? useReadyEntry : useSessionEntry;
  const entry = useEntry(source as AgentDefinition & { session: AgentSession }, options);
  return useTrackedFields(entry);
}

function useReadyEntry({ session }: { session: AgentSession }): SessionEntry {
  const entry = entryOf(session);
  useEffect(() => entry.retain(), [entry]);
  return entry;
}

function useTrackedFields(entry: SessionEntry): UseAgentResult {
  const { store, session } = entry;
  const [read] = useState(() => new Set<keyof AgentFields>());
  const seen = useRef<{ entry: SessionEntry; snapshot: AgentSessionSnapshot } | null>(null);

  const getSnapshot = useCallback((): AgentSessionSnapshot => {
    const next = store.getState();
    const last = seen.current;
    if (
      last?.entry === entry &&
      [...read].every((field) => Object.is(fieldSelectors[field](last.snapshot), fieldSelectors[field](next)))
    ) {
      return last.snapshot;
    }
    seen.current = { entry, snapshot: next };
    return next;
  }, [entry, store, read]);

  useSyncExternalStore(store.subscribe, getSnapshot, session.getInitialSnapshot);
  return trackedResult(entry, read);
}

const actionNames = [
  'sendMessage',
  'stop',
  'detach',
  'resume',
  'retry',
  'approve',
  'reject',
  'respondAll',
  'setMessages',
  'rename',
  'clearError',
  'reset',
  'cancelQueued',
] as const satisfies readonly (keyof AgentActions)[];

function trackedResult({ store, session }: SessionEntry, read: Set<keyof AgentFields>): UseAgentResult {
  const result = Object.fromEntries(actionNames.map((name) => [name, session[name]]));
  for (const field of Object.keys(fieldSelectors) as (keyof AgentFields)[]) {
    Object.defineProperty(result, field, {
      enumerable: true,
      get() {
        read.add(field);
        return fieldSelectors[field](store.getState());
      },
    });
  }
  return result as unknown as UseAgentResult;
}
