import type { AgentState, ToolExecution } from '../graph/types.ts';
import { work } from '../kit/work.ts';

/** Returns the state of the agent at a path of tool executions below the root; null when there is none. */
export function stateAtPath(root: AgentState, path: readonly string[]): AgentState | null {
  let state: AgentState | null = root;
  for (const id of path) {
    if (state === null) return null;
    state = callOf(state, id)?.childState ?? null;
  }
  return state;
}

/** Returns a tool execution of the step in flight; null when there is none. */
export function callOf(state: AgentState, toolCallId: string): ToolExecution | null {
  const calls = state.execution?.currentStep?.toolExecutions ?? [];
  return calls[indexOfCall(calls, toolCallId)] ?? null;
}

let hint = 0;

/** Index of a call by its id. Calls in flight stand close together, so the search begins at the last index. */
export function indexOfCall(calls: readonly ToolExecution[], id: string): number {
  if (calls[hint]?.id === id) return hint;
  const start = Math.min(hint, calls.length - 1);
  for (let [down, up] = [start, start + 1]; down >= 0 || up < calls.length; down--, up++) {
    work.units++;
    if (calls[down]?.id === id) return (hint = down);
    if (calls[up]?.id === id) return (hint = up);
  }
  return -1;
}
