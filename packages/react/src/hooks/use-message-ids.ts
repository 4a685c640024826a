'use client';

import { Conversation, type SessionSnapshot } from '@vitrine/core';
import { useNearestSession } from '../agent-context.ts';
import { useSelection } from '../use-selection.ts';

const select = ({ state }: SessionSnapshot): readonly string[] => Conversation.messageIds(state);

/**
 * Returns the ids of the messages in order. The component renders again only when a message is added or
 * removed. Render each with `useMessage`.
 */
export function useMessageIds(): readonly string[] {
  return useSelection(useNearestSession('useMessageIds').store, select, Object.is);
}
