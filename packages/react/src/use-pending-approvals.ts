import { sessionSelectors, type ToolExecution } from '@vitrine/core';
import { useSessionEntryContext } from './agent-context.ts';
import { useSnapshot } from './use-snapshot.ts';

/** The calls that wait for the user. */
export function usePendingApprovals(): readonly ToolExecution[] {
  return useSnapshot(useSessionEntryContext('usePendingApprovals'), ({ state }) =>
    sessionSelectors.pendingApprovals(state),
  );
}
