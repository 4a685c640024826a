'use client';

import { useAgentStatus } from '../../hooks/use-agent-status.ts';

/** True while the last run waits to be taken up again: what was running in it is not. */
export function useIsInterrupted(): boolean {
  return useAgentStatus().status === 'interrupted';
}
