import { defineAgent } from '../../agent/define-agent.ts';
import type { AgentDefinition } from '../../agent/agent-definition.ts';
import { AgentStopError } from '../../graph/agent-stop-error.ts';
import type { Env } from '../../graph/env.ts';
import { isFinished } from '../../graph/execution-state.ts';
import { of as signalOf } from '../../graph/stop-signal.ts';
import type { AgentState } from '../../graph/types.ts';
import type { InferenceClient } from '../../model/inference-client.ts';
import { createAgentLoop } from '../../run/create-agent-loop.ts';

/** The state with its run ended, if one was begun or is to be: calls that had not finished are interrupted, no model or tool is called. */
export async function endInterrupted(state: AgentState, env: Env): Promise<AgentState> {
  if (state.execution === null || isFinished(state.execution)) return state;
  const message = 'The session was imported while its run was going on';
  const reason = new AgentStopError(signalOf('user-requested', { message, source: 'import' }, env));
  const loop = createAgentLoop(standIn('import', [state]), { env });
  return loop.execute(state, { signal: AbortSignal.abort(reason) });
}

/** An agent that does nothing, with subagents that do nothing for those that have not ended. */
function standIn(name: string, states: readonly AgentState[]): AgentDefinition {
  const children = new Map<string, AgentState[]>();
  for (const { execution } of states)
    for (const { childState, toolCall } of execution?.currentStep?.toolExecutions ?? []) {
      const { agent } = (toolCall.input ?? {}) as { readonly agent?: unknown };
      if (childState !== null && typeof agent === 'string' && agent !== '')
        children.set(agent, [...(children.get(agent) ?? []), childState]);
    }
  const subagents = [...children].map(([child, list]) => standIn(child, list));
  return defineAgent({ name, description: name, inference: silent, subagents });
}

const silent: InferenceClient = {
  stream: () => {
    throw new Error('A run that is ended calls no model.');
  },
};
