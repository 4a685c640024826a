'use client';

import { type AgentDefinition, type ChatMessage, Conversation, type SessionSnapshot } from '@vitrine/core';
import { useNearestSession } from '../agent-context.ts';
import { useSelection } from '../use-selection.ts';

const select = ({ state }: SessionSnapshot): ChatMessage | null => Conversation.streamingMessage(state);

/** Returns the answer that streams; null when none does. */
export function useStreamingMessage<Agent extends AgentDefinition>(): ChatMessage<Agent> | null {
  return useSelection(
    useNearestSession('useStreamingMessage').store,
    select,
    Object.is,
  ) as ChatMessage<Agent> | null;
}
