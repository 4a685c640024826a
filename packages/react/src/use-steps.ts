import { sessionSelectors, type AgentStep } from '@vitrine/core';
import { useSessionEntryContext } from './agent-context.ts';
import { useSnapshot } from './use-snapshot.ts';

/** The steps of the present execution, the one in flight last. */
export function useSteps(): readonly AgentStep[] {
  return useSnapshot(useSessionEntryContext('useSteps'), ({ state }) => sessionSelectors.steps(state));
}
