import type { AgentState } from '../graph/types.ts';
import { diffJson, type JsonDifference } from '../kit/diff-json.ts';

/** One place in which two states differ; `path` begins at the state. */
export type StateDifference = JsonDifference;

/**
 * Where two states differ. Costs what has changed between them, however long the history is; messages, steps and
 * calls are found again by their ids, wherever they stand.
 */
export function diff(before: AgentState, after: AgentState): readonly StateDifference[] {
  return diffJson(before, after);
}
