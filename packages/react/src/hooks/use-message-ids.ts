'use client';

import { Conversation, type SessionSnapshot } from '@vitrine/core';
import { useNearestSession } from '../agent-context.ts';
import { useSelection } from '../use-selection.ts';

const select = ({ state }: SessionSnapshot): readonly string[] => Conversation.messageIds(state);

/** The ids of the messages in order; changes only when one comes or goes. Render each with `useMessage`. */
export function useMessageIds(): readonly string[] {
  return useSelection(useNearestSession('useMessageIds').store, select, Object.is);
}
