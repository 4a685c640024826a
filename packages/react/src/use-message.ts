import { type Message, sessionSelectors } from '@vitrine/core';
import { useCallback, useSyncExternalStore } from 'react';
import { useSessionEntryContext } from './agent-context.ts';

/** One message, null when there is none of that id. The component renders again only when this message changes. */
export function useMessage(id: string): Message | null {
  const { messages, store, session } = useSessionEntryContext('useMessage');
  const subscribe = useCallback((listener: () => void) => messages.subscribe(id, listener), [messages, id]);
  return useSyncExternalStore(
    subscribe,
    () => sessionSelectors.message(store.getState().state, id),
    () => sessionSelectors.message(session.getInitialSnapshot().state, id),
  );
}
