import { type UseAgentResult, useAgent, useAgentSession } from '@vitrine/react';

/** The session of the page with the fields that a component reads. */
export function useChatStatus(): UseAgentResult {
  return useAgent({ session: useAgentSession() });
}
