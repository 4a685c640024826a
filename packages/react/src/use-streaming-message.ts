import { type Message, sessionSelectors } from '@vitrine/core';
import { useSessionEntryContext } from './agent-context.ts';
import { useSnapshot } from './use-snapshot.ts';

/** The answer that is streaming; null when none is. */
export function useStreamingMessage(): Message | null {
  return useSnapshot(useSessionEntryContext('useStreamingMessage'), ({ state }) =>
    sessionSelectors.streamingMessage(state),
  );
}
