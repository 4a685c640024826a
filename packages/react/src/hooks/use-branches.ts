'use client';

import { type AgentSession, selectors, type SessionSnapshot, type Turn } from '@vitrine/core';
import type { MessageBranches } from '@vitrine/core/types';
import { useCallback, useDebugValue, useMemo } from 'react';
import { shallow } from 'zustand/shallow';
import { useNearestSession } from '../agent-context.ts';
import { anyBranch, branchChannel } from '../message-channel.ts';
import { useSelection } from '../use-selection.ts';

type UseBranchesResult = MessageBranches & {
  /** Number of siblings; 0 when the message is not on the active branch. */
  readonly count: number;
  /** Switches to the previous alternative; null when there is none. */
  readonly previous: (() => Promise<Turn>) | null;
  /** Switches to the next alternative; null when there is none. */
  readonly next: (() => Promise<Turn>) | null;
};

/**
 * Returns the edits of a person's message, or the alternative answers, with commands to switch between
 * them. The component renders again only when the alternatives of this message change.
 * @example
 * const { index, count, previous, next } = useBranches(messageId);
 */
export function useBranches(messageId: string): UseBranchesResult {
  const session = useNearestSession('useBranches');
  const { store } = session;
  const select = useCallback(
    (snapshot: SessionSnapshot) => selectors.branches(snapshot)(messageId),
    [messageId],
  );
  const subscribe = useCallback(
    (listener: () => void) => branchChannel(store).subscribe(anyBranch, listener),
    [store],
  );
  const found = useSelection(store, select, isSame, subscribe);
  const result = useMemo(() => withArrows(found, session), [found, session]);
  useDebugValue(result);
  return result;
}

function isSame(a: MessageBranches, b: MessageBranches): boolean {
  return a.index === b.index && shallow(a.ids, b.ids) && shallow(a.answers, b.answers);
}

function withArrows(found: MessageBranches, { switchBranch }: AgentSession): UseBranchesResult {
  const { ids, index } = found;
  const to = (id: string | undefined): (() => Promise<Turn>) | null =>
    id === undefined ? null : () => switchBranch(id);
  return {
    ...found,
    count: ids.length,
    previous: to(ids[index - 1]),
    next: index < 0 ? null : to(ids[index + 1]),
  };
}
