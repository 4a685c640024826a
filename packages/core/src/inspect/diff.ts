import type { AgentState } from '../graph/types.ts';
import { diffJson, type JsonDifference } from '../kit/diff-json.ts';

/** One difference between two states; `path` begins at the state. */
export type StateDifference = JsonDifference;

/**
 * The differences between two states. The cost depends on the changes between them and not on the history. Messages,
 * steps and calls are matched by id at any index.
 */
export function diff(before: AgentState, after: AgentState): readonly StateDifference[] {
  return diffJson(before, after);
}
