import { AgentState, ToolExecution } from '@vitrine/core';

/**
 * The name of the subagent at the end of a path; null for the root and an unknown one.
 * @param path The ids of the calls between the root and the agent.
 */
export function nameAt(root: AgentState, path: readonly string[]): string | null {
  const call = callAt(root, path);
  return call ? nameOfSubagent(call) : null;
}

/** The call at the end of a path of calls; undefined for the root and an unknown one. */
export function callAt(root: AgentState, path: readonly string[]): ToolExecution | undefined {
  let call: ToolExecution | undefined;
  for (const [depth, id] of path.entries()) {
    const state = depth === 0 ? root : call?.childState;
    const calls = state ? AgentState.steps(state).flatMap(({ toolExecutions }) => toolExecutions) : [];
    call = calls.find((one) => one.id === id);
  }
  return call;
}

/** The name of the subagent of a call. One that was recorded from requests may be a guess, which has a mark. */
export function nameOfSubagent(call: ToolExecution): string {
  const recorded = call.childState?.context.metadata['recordedName'];
  return typeof recorded === 'string' ? recorded : ToolExecution.subagentName(call);
}
