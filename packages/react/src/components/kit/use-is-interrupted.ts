'use client';

import { useAgentStatus } from '../../field-hooks.ts';

/** True if the last run was interrupted and can be resumed; its tools no longer run then. */
export function useIsInterrupted(): boolean {
  return useAgentStatus().status === 'interrupted';
}
