import { sessionSelectors } from '@vitrine/core';
import { useSessionEntryContext } from './agent-context.ts';
import { useSnapshot } from './use-snapshot.ts';

/** The ids of the messages in order; changes only when one comes or goes. Render each with `useMessage`. */
export function useMessageIds(): readonly string[] {
  return useSnapshot(useSessionEntryContext('useMessageIds'), ({ state }) =>
    sessionSelectors.messageIds(state),
  );
}
