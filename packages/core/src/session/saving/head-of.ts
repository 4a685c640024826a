import { status } from '../../graph/agent-state/accessors.ts';
import type { Timestamp } from '../../graph/env.ts';
import type { AgentState } from '../../graph/types.ts';
import type { Head, Saved, Stored } from './saved.ts';

type HeadFacts = {
  readonly id: string;
  readonly title: string;
  readonly state: AgentState;
  readonly now: Timestamp;
  /** The origin of a session that is stored no more. */
  readonly origin: Origin | null;
};

/** The part of a head that is written once and kept. */
export type Origin = Pick<Head, 'parentId' | 'createdAt'>;

/**
 * Returns the head to write. A draft alone does not change `updatedAt`, so the session keeps its place in the
 * list.
 */
export function headOf(
  stored: Stored | null,
  { agentName, queue, draft }: Saved,
  { id, title, state, now, origin }: HeadFacts,
): Head {
  const { parentId, createdAt } = stored?.head ?? origin ?? { parentId: null, createdAt: state.createdAt };
  return {
    id,
    title,
    agentName,
    parentId,
    createdAt,
    updatedAt: stored !== null && stored.state === state ? stored.head.updatedAt : now,
    status: 'active',
    executionStatus: status(state),
    queue,
    draft,
  };
}
