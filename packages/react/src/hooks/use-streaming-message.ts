'use client';

import { sessionSelectors as Conversation, type SessionSnapshot } from '@vitrine/core';
import { useNearestSession } from '../agent-context.ts';
import type { MessageOf } from '../agent-types.ts';
import { useSelection } from '../use-selection.ts';

const select = ({ state }: SessionSnapshot): MessageOf | null => Conversation.streamingMessage(state);

/** The answer that is streaming; null when none is. */
export function useStreamingMessage(): MessageOf | null {
  return useSelection(useNearestSession('useStreamingMessage').store, select, Object.is);
}
