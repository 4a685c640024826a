import { defineAgent } from '@vitrine/core/internal/agent/define-agent';
import type { AgentDefinition } from '@vitrine/core/internal/agent/agent-definition';
import { AgentStopError } from '@vitrine/core/internal/graph/agent-stop-error';
import { of as signalOf } from '@vitrine/core/internal/graph/stop-signal';
import type { Env } from '@vitrine/core/internal/graph/env';
import { isFinished } from '@vitrine/core/internal/graph/execution-state';
import { subagentName } from '@vitrine/core/internal/graph/tool-execution';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import type { InferenceClient } from '@vitrine/core/internal/model/inference-client';
import { createJournal } from '@vitrine/core/internal/run/journal';
import { runOnJournal } from '@vitrine/core/internal/agent-loop/run-on-journal';

const imported = { message: 'The session was imported while its run was going on', source: 'import' };

/** Ends an open run of a state without calling a model or tool. Calls that had not finished are interrupted. */
export async function endInterrupted(
  state: AgentState,
  env: Env,
  { message, source }: { readonly message: string; readonly source: string } = imported,
): Promise<AgentState> {
  if (state.execution === null || isFinished(state.execution)) return state;
  const reason = new AgentStopError(signalOf('user-requested', { message, source }, env));
  const journal = createJournal(state, { env });
  const { lease } = journal.lease();
  // Not createAgentLoop: the engine loads this file, and bundlers would put the exports of the entry into its chunk.
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
