import { AgentState, ToolExecution } from '@vitrine/core';

/**
 * The name of the subagent at the end of a path; null for the root and an unknown one.
 * @param path The ids of the calls between the root and the agent.
 */
export function nameAt(root: AgentState, path: readonly string[]): string | null {
  let state: AgentState | null = root;
  let name: string | null = null;
  for (const id of path) {
    const call: ToolExecution | undefined = state === null ? undefined : callIn(state, id);
    state = call?.childState ?? null;
    name = call ? nameOfSubagent(call) : null;
  }
  return name;
}

/** The name of the subagent of a call. One that was recorded from requests may be a guess, which has a mark. */
export function nameOfSubagent(call: ToolExecution): string {
  const recorded = call.childState?.context.metadata['recordedName'];
  return typeof recorded === 'string' ? recorded : ToolExecution.subagentName(call);
}

function callIn(state: AgentState, id: string): ToolExecution | undefined {
  return AgentState.steps(state)
    .flatMap(({ toolExecutions }) => toolExecutions)
    .find((call) => call.id === id);
}
