import type { AgentState } from '../../graph/types.ts';
import { branchMessages, placesIn } from './branch-messages.ts';
import type { SessionBranch, SessionCheckpoint, SessionRecord } from '../store/session-store.ts';
import { nothing } from '../../kit/memoize.ts';

/** The inactive branches of a session, and the state before each turn. */
export type SessionTree = Pick<SessionRecord, 'branches' | 'checkpoints'>;

/** The newest checkpoints that are kept, each with all messages before it. Older turns do with later plugins. */
export const maxCheckpoints = 100;

export function treeOf({ branches, checkpoints }: SessionRecord): SessionTree {
  return { branches, checkpoints };
}

/** The tree with one more checkpoint, which replaces an earlier one at the same message. */
export function withCheckpoint(tree: SessionTree, checkpoint: SessionCheckpoint): SessionTree {
  const { messageId } = checkpoint;
  const others = checkpointOf(tree, messageId)
    ? tree.checkpoints.filter((entry) => entry.messageId !== messageId)
    : tree.checkpoints;
  return { ...tree, checkpoints: [...others, checkpoint].slice(-maxCheckpoints) };
}

/** The checkpoint at a message; undefined when it was not kept. */
export function checkpointOf({ checkpoints }: SessionTree, messageId: string): SessionCheckpoint | undefined {
  return checkpoints.findLast((entry) => entry.messageId === messageId);
}

export function withBranch(tree: SessionTree, branch: SessionBranch): SessionTree {
  return { ...tree, branches: [...tree.branches, branch] };
}

/** True when `other` holds every message of the state's branch. */
export function holds(other: AgentState, state: AgentState): boolean {
  const places = placesIn(branchMessages(other));
  return branchMessages(state).every(({ id }) => places.has(id));
}

export const emptyTree: SessionTree = { branches: nothing, checkpoints: nothing };
