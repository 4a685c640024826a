import type { AgentState } from '../../graph/types.ts';
import { line, placesIn } from './line.ts';
import type { SessionBranch, SessionCheckpoint, SessionRecord } from '../stores/session-store.ts';

/** What a session keeps besides the active line: the lines that were left, and what stood before each turn. */
export type SessionTree = Pick<SessionRecord, 'branches' | 'checkpoints'>;

/**
 * So many are kept, the newest: each holds the list of all messages before it. An older turn is begun again from its
 * messages, with plugin state as it is known of the time after it.
 */
const maxCheckpoints = 100;

/** The tree of a stored session. */
export function treeOf({ branches, checkpoints }: SessionRecord): SessionTree {
  return { branches, checkpoints };
}

/** The tree with one more checkpoint, in the place of an earlier one before the same message. */
export function withCheckpoint(tree: SessionTree, checkpoint: SessionCheckpoint): SessionTree {
  const { messageId } = checkpoint;
  const others = checkpointOf(tree, messageId)
    ? tree.checkpoints.filter((entry) => entry.messageId !== messageId)
    : tree.checkpoints;
  return { ...tree, checkpoints: [...others, checkpoint].slice(-maxCheckpoints) };
}

/** What stood before a message; undefined when that was not kept. */
export function checkpointOf({ checkpoints }: SessionTree, messageId: string): SessionCheckpoint | undefined {
  return checkpoints.findLast((entry) => entry.messageId === messageId);
}

/** The tree with one more branch behind the others. */
export function withBranch(tree: SessionTree, branch: SessionBranch): SessionTree {
  return { ...tree, branches: [...tree.branches, branch] };
}

/** True when every message of a line stands in another one. */
export function holds(other: AgentState, state: AgentState): boolean {
  const places = placesIn(line(other));
  return line(state).every(({ id }) => places.has(id));
}

/** What is stored, and what was left here that is not: another writer may not know of it. */
export function mergedTree(stored: SessionRecord, own: SessionTree): SessionTree {
  const lines = [stored.state, ...stored.branches.map(({ state }) => state)];
  const unknown = own.branches.filter(({ state }) => !lines.some((other) => holds(other, state)));
  const isKnown = new Set(stored.checkpoints.map(({ messageId }) => messageId));
  return {
    branches: unknown.length === 0 ? stored.branches : [...stored.branches, ...unknown],
    checkpoints: [
      ...own.checkpoints.filter(({ messageId }) => !isKnown.has(messageId)),
      ...stored.checkpoints,
    ].slice(-maxCheckpoints),
  };
}
