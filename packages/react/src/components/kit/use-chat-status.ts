'use client';

import type { AgentSession } from '@vitrine/core';
import { useAgentStatus } from '../../field-hooks.ts';
import { useAgentSession } from '../../hooks/use-agent-state.ts';
import { useAgent, type UseAgentResult } from '../../hooks/use-agent.ts';

/** The nearest session and the fields that a component reads. */
export function useChatStatus(): UseAgentResult {
  return useAgent({ session: useAgentSession() });
}

/** True if the last run was interrupted and can be resumed; its tools no longer run then. */
export function useIsInterrupted(): boolean {
  return useAgentStatus().status === 'interrupted';
}

const keys = new WeakMap<AgentSession, number>();
let nextKey = 1;

/**
 * A React `key` for state that belongs to one session.
 *
 * The id cannot serve as the key: a session without an id gets one on first use, and the typed text and
 * files must survive that.
 */
export function sessionKey(session: AgentSession): number {
  const key = keys.get(session) ?? nextKey++;
  keys.set(session, key);
  return key;
}

const readers = new WeakMap<AgentSession, Set<() => void>>();

/** Notifies the conversation of a session that the person has sent a message here, so that it scrolls to the end. */
export function notifySent(session: AgentSession): void {
  for (const listener of readers.get(session) ?? []) listener();
}

/** Subscribes to messages sent from this page. Returns the unsubscribe function. */
export function onSent(session: AgentSession, listener: () => void): () => void {
  const own = readers.get(session) ?? new Set();
  readers.set(session, own.add(listener));
  return () => void own.delete(listener);
}
