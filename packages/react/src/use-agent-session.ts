import type { AgentSession } from '@vitrine/core';
import { useSessionEntryContext } from './agent-context.ts';

/** The controller of the nearest `<AgentSession>`: its actions, without a subscription. */
export function useAgentSession(): AgentSession {
  return useSessionEntryContext('useAgentSession').session;
}
