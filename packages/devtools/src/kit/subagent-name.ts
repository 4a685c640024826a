import { AgentState, type ToolExecution } from '@vitrine/core';

/** The name of the agent that a call runs; null for other calls. */
export function subagentName({ toolCall, childState }: ToolExecution): string | null {
  const { input } = toolCall;
  if (childState === null || typeof input !== 'object' || input === null || Array.isArray(input)) return null;
  const name = (input as { readonly agent?: unknown }).agent;
  return typeof name === 'string' ? name : null;
}

/**
 * The name of the agent at the end of a path, which is not empty; null when it is not known.
 * @param path The ids of the calls between the root and the agent.
 */
export function nameAt(root: AgentState, path: readonly string[]): string | null {
  let state: AgentState | null = root;
  let name: string | null = null;
  for (const id of path) {
    const call: ToolExecution | undefined = state === null ? undefined : callIn(state, id);
    state = call?.childState ?? null;
    name = call ? subagentName(call) : null;
  }
  return name;
}

function callIn(state: AgentState, id: string): ToolExecution | undefined {
  return AgentState.steps(state)
    .flatMap(({ toolExecutions }) => toolExecutions)
    .find((call) => call.id === id);
}
