import type { AgentDefinition } from '@vitrine/core/internal/agent/agent-definition';
import { steps } from '@vitrine/core/internal/graph/agent-state/accessors';
import { subagentName } from '@vitrine/core/internal/graph/tool-execution';
import type { AgentState, ToolExecution } from '@vitrine/core/internal/graph/types';

/** An agent below another: its state, and the tool calls that lead to it. */
type Below = { readonly agent: readonly string[]; readonly name: string | null; readonly state: AgentState };

/** The main agent and all subagents of a run, each before its own. */
export function agentsOf(state: AgentState): Below[] {
  const found: Below[] = [{ agent: [], name: null, state }];
  for (const { agent, state: parent } of found)
    for (const call of steps(parent).flatMap(({ toolExecutions }) => toolExecutions))
      if (call.childState !== null)
        found.push({ agent: [...agent, call.id], name: subagentName(call), state: call.childState });
  return found;
}

/** The calls of a run, those of subagents included. */
export function everyCallOf(run: AgentState): readonly ToolExecution[] {
  return agentsOf(run).flatMap(({ state }) => steps(state).flatMap(({ toolExecutions }) => toolExecutions));
}

/** An agent and its subagents, each once. */
export function everyAgentOf(agent: AgentDefinition): readonly AgentDefinition[] {
  const agents = new Set([agent]);
  for (const one of agents) for (const { agent: below } of one.subagents) agents.add(below);
  return [...agents];
}
