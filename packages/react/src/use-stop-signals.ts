import { sessionSelectors, type StopSignal } from '@vitrine/core';
import { useSessionEntryContext } from './agent-context.ts';
import { useSnapshot } from './use-snapshot.ts';

/** All signals that stand; the deciding one is `sessionSelectors.stopSignal`. */
export function useStopSignals(): readonly StopSignal[] {
  return useSnapshot(useSessionEntryContext('useStopSignals'), ({ state }) =>
    sessionSelectors.stopSignals(state),
  );
}
