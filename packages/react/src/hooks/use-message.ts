'use client';

import { type AgentDefinition, type ChatMessage, Conversation } from '@vitrine/core';
import { useCallback, useDebugValue, useSyncExternalStore } from 'react';
import { useNearestSession } from '../agent-context.ts';
import { messageChannel } from '../message-channel.ts';

/**
 * Returns one message; null when no message has this id. The component renders again only when this message
 * changes.
 */
export function useMessage<Agent extends AgentDefinition>(id: string): ChatMessage<Agent> | null {
  const { store } = useNearestSession('useMessage');
  const subscribe = useCallback(
    (listener: () => void) => messageChannel(store).subscribe(id, listener),
    [store, id],
  );
  const message = useSyncExternalStore(
    subscribe,
    () => Conversation.message(store.getState().state, id),
    () => Conversation.message(store.getInitialState().state, id),
  );
  useDebugValue(message);
  return message as ChatMessage<Agent> | null;
}
