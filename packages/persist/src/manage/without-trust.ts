import { withoutChosenModel } from '@vitrine/core/internal/graph/agent-state/chosen-model';
import { withoutRemembered } from '@vitrine/core/internal/graph/agent-state/remembered';
import type { Env } from '@vitrine/core/internal/graph/env';
import type { MessageStore } from '@vitrine/core/internal/graph/message-store';
import type { AgentState, ExecutionState, ToolExecution } from '@vitrine/core/internal/graph/types';
import { createJournal } from '@vitrine/core/internal/run/journal';
import { endInterrupted } from './end-interrupted.ts';
import type { SessionCheckpoint } from '@vitrine/core/internal/session/store/session-store';
import type { ReadDocument } from './session-document.ts';

/**
 * Returns a foreign session without instructions, model, response format and remembered approvals.
 * Open runs are ended, and queued messages become the draft, so that nothing is sent automatically.
 */
export async function withoutTrust(
  { record, runs, files, tail }: ReadDocument,
  env: Env,
): Promise<ReadDocument> {
  const bare = async (state: AgentState): Promise<AgentState> =>
    withoutOrders(await endInterrupted(state, env), env);
  const state = await bare(record.state);
  const branches = await Promise.all(
    record.branches.map(async (branch) => ({ ...branch, state: await bare(branch.state) })),
  );
  const checkpoints = record.checkpoints.map(withoutOrdersAt);
  const draft = [record.draft, ...record.queue.map(({ text }) => text)]
    .filter((text) => text !== '')
    .join('\n\n');
  const executionStatus = state.execution?.status ?? null;
  const rest = { parentId: null, queue: [], draft, executionStatus };
  return { record: { ...record, ...rest, state, branches, checkpoints }, runs, files, tail };
}

/** A checkpoint without instructions and remembered approvals. */
export function withoutOrdersAt(point: SessionCheckpoint): SessionCheckpoint {
  return { ...point, store: withoutSystem(point.store), plugins: withoutRemembered(point.plugins) };
}

/** A state without instructions, model, response format, grants and remembered approvals, and its subagents alike. */
export function withoutOrders(state: AgentState, env: Env): AgentState {
  const journal = createJournal(state, { env });
  for (const { name, messages } of state.context.store.sections) {
    const removed = messages.filter(({ role }) => role === 'system').map(({ id }) => id);
    if (removed.length > 0)
      journal.commit([], { type: 'section-change', source: 'import', name, removed, put: [], added: [] });
  }
  const { context, plugins, execution, ...rest } = withoutChosenModel(journal.state());
  return {
    ...rest,
    execution: execution && withoutOrdersIn(execution, env),
    llmConfig: null,
    breakpoints: [],
    context: { ...context, systemPrompt: '', responseFormat: null },
    plugins: withoutRemembered(plugins),
  };
}

/** An execution without grants and a model, whose subagents in the step in flight go on without orders. */
function withoutOrdersIn(given: ExecutionState, env: Env): ExecutionState {
  const { grants: _grants, turnModel: _model, ...execution } = given;
  const { currentStep } = execution;
  if (currentStep === null) return execution;
  const bare = (call: ToolExecution): ToolExecution =>
    call.childState === null ? call : { ...call, childState: withoutOrders(call.childState, env) };
  return {
    ...execution,
    currentStep: { ...currentStep, toolExecutions: currentStep.toolExecutions.map(bare) },
  };
}

/** Removes messages of the role `system`, which are instructions too. */
function withoutSystem(store: MessageStore): MessageStore {
  return {
    sections: store.sections.map(({ name, messages }) => ({
      name,
      messages: messages.filter(({ role }) => role !== 'system'),
    })),
  };
}
