import { status } from '../../graph/agent-state/accessors.ts';
import type { Timestamp } from '../../graph/env.ts';
import type { AgentState } from '../../graph/types.ts';
import type { Head, Saved, Stored } from './saved.ts';

/** The head of a session as it is to be written. What is only typed does not bring it to the top of the list. */
export function headOf(
  stored: Stored | null,
  { agentName, queue, draft }: Saved,
  { id, title, state, now }: { id: string; title: string; state: AgentState; now: Timestamp },
): Head {
  return {
    id,
    title,
    agentName,
    parentId: stored?.head.parentId ?? null,
    createdAt: stored?.head.createdAt ?? state.createdAt,
    updatedAt: stored !== null && stored.state === state ? stored.head.updatedAt : now,
    status: 'active',
    executionStatus: status(state),
    queue,
    draft,
  };
}
