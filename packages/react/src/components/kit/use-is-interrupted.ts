'use client';

import { useAgentStatus } from '../../hooks/use-agent-status.ts';

/** True if the last run was interrupted and can be resumed; its tools no longer run then. */
export function useIsInterrupted(): boolean {
  return useAgentStatus().status === 'interrupted';
}
