import { sessionSelectors, type Usage } from '@vitrine/core';
import { useSessionEntryContext } from './agent-context.ts';
import { useSnapshot } from './use-snapshot.ts';

/** What the present execution has spent, subagents included. */
export function useUsage(): Usage {
  return useSnapshot(useSessionEntryContext('useUsage'), ({ state }) => sessionSelectors.usage(state));
}
