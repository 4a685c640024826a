'use client';

import type { AgentSession } from '@vitrine/core';
import { useNearestSession } from '../agent-context.ts';

/** The controller of the nearest `<AgentSession>`: its commands and its store, without a subscription. */
export function useAgentSession(): AgentSession {
  return useNearestSession('useAgentSession');
}
