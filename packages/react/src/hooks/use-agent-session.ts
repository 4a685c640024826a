'use client';

import type { AgentSession } from '@vitrine/core';
import { useNearestSession } from '../agent-context.ts';

/**
 * Returns the controller of the nearest `<AgentSession>`: its commands and its store, without a
 * subscription.
 */
export function useAgentSession(): AgentSession {
  return useNearestSession('useAgentSession');
}
