import type { AgentState, ToolExecution } from '../graph/types.ts';

/** The state of the agent at a path of tool executions below the root; null when there is none. */
export function stateAt(root: AgentState, path: readonly string[]): AgentState | null {
  let state: AgentState | null = root;
  for (const id of path) {
    if (state === null) return null;
    state = callOf(state, id)?.childState ?? null;
  }
  return state;
}

/** A tool execution of the step in flight. */
export function callOf(state: AgentState, toolCallId: string): ToolExecution | null {
  const calls = state.execution?.currentStep?.toolExecutions ?? [];
  return calls[indexOfCall(calls, toolCallId)] ?? null;
}

let hint = 0;

/** Deltas of one call come in a row, so the place of the last one is asked first. */
export function indexOfCall(calls: readonly ToolExecution[], id: string): number {
  if (calls[hint]?.id === id) return hint;
  for (let at = 0; at < calls.length; at++) {
    if (calls[at]?.id === id) return (hint = at);
  }
  return -1;
}
