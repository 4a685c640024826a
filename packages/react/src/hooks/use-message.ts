'use client';

import { type AgentDefinition, type ChatMessage, Conversation, type SessionSnapshot } from '@vitrine/core';
import { useCallback, useDebugValue, useSyncExternalStore } from 'react';
import { useNearestSession } from '../agent-context.ts';
import { messageChannel } from '../message-channel.ts';
import { useSelection } from '../use-selection.ts';

/**
 * Returns one message; null when no message has this id. The component renders again only when this message changes.
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

const ids = ({ state }: SessionSnapshot): readonly string[] => Conversation.messageIds(state);

/**
 * Returns the ids of the messages in order. The component renders again only when a message is added or
 * removed. Render each with `useMessage`.
 */
export function useMessageIds(): readonly string[] {
  return useSelection(useNearestSession('useMessageIds').store, ids, Object.is);
}

const streamingMessage = ({ state }: SessionSnapshot): ChatMessage | null =>
  Conversation.streamingMessage(state);

/** Returns the answer that streams; null when none does. */
export function useStreamingMessage<Agent extends AgentDefinition>(): ChatMessage<Agent> | null {
  return useSelection(
    useNearestSession('useStreamingMessage').store,
    streamingMessage,
    Object.is,
  ) as ChatMessage<Agent> | null;
}
