'use client';

import { useAgent, type UseAgentResult } from '../../hooks/use-agent.ts';
import { useAgentSession } from '../../hooks/use-agent-state.ts';

/** The nearest session and the fields that a component reads. */
export function useChatStatus(): UseAgentResult {
  return useAgent({ session: useAgentSession() });
}
