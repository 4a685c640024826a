import { defineAgent } from '../../agent/define-agent.ts';
import type { AgentDefinition } from '../../agent/agent-definition.ts';
import { AgentStopError } from '../../graph/agent-stop-error.ts';
import { of as signalOf } from '../../graph/stop-signal.ts';
import type { Env } from '../../graph/env.ts';
import { isFinished } from '../../graph/execution-state.ts';
import { subagentName } from '../../graph/tool-execution.ts';
import type { AgentState } from '../../graph/types.ts';
import type { InferenceClient } from '../../model/inference-client.ts';
import { createJournal } from '../../run/journal.ts';
import { runOnJournal } from '../../run/drive.ts';

const imported = { message: 'The session was imported while its run was going on', source: 'import' };

/**
 * Ends an open run of a state without calling a model or tool. Calls that had not finished are interrupted.
 */
export async function endInterrupted(
  state: AgentState,
  env: Env,
  { message, source }: { readonly message: string; readonly source: string } = imported,
): Promise<AgentState> {
  if (state.execution === null || isFinished(state.execution)) return state;
  const reason = new AgentStopError(signalOf('user-requested', { message, source }, env));
  const journal = createJournal(state, { env });
  const { lease } = journal.lease();
  // Not createAgentLoop: the engine loads this file, and bundlers would put the exports of the entry into its
  // chunk.
  await runOnJournal({ agent: standIn('import', [state]), lease, env, signal: AbortSignal.abort(reason) });
  return journal.state();
}

/** An agent that does nothing, with such subagents for those that have not ended. */
function standIn(name: string, states: readonly AgentState[]): AgentDefinition {
  const children = new Map<string, AgentState[]>();
  for (const { execution } of states)
    for (const call of execution?.currentStep?.toolExecutions ?? []) {
      const child = subagentName(call);
      if (call.childState !== null) children.set(child, [...(children.get(child) ?? []), call.childState]);
    }
  const subagents = [...children].map(([child, list]) => standIn(child, list));
  return defineAgent({ name, description: name, inference: silent, subagents });
}

const silent: InferenceClient = {
  stream: () => {
    throw new Error('A run that is ended calls no model.');
  },
};
