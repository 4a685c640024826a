import { type BudgetView, budgetView } from '../graph/limits/budget-view.ts';
import { memoize } from '../kit/memoize.ts';
import { section } from '../graph/message-store.ts';
import type { Message } from '../graph/message.ts';
import {
  currentStep,
  executionDuration,
  messages as stateMessages,
  stepCount,
  usage,
} from '../graph/agent-state/accessors.ts';
import type { AgentState } from '../graph/types.ts';
import type { AgentSessionSnapshot } from './agent-session.ts';

const emptyIds: readonly string[] = [];

/** The answer that is still streaming: it is in the step in flight, not among the messages yet. */
export function streamingMessage(state: AgentState): Message | null {
  const step = currentStep(state);
  return step === null || step.inferenceResponse !== null ? null : (step.outputMessages.at(-1) ?? null);
}

/** The messages that are complete, without the one that streams: the same array while deltas come in. */
export const settledMessages: (state: AgentState) => readonly Message[] = memoize(
  (state: AgentState): readonly Message[] => {
    const trace = section(state.context.store, 'execution_buffer');
    return trace.length === 0 ? stateMessages(state) : [...stateMessages(state), ...trace];
  },
);

/** What a chat shows: the messages, the trace of the run in progress, and the answer that streams. */
export const messages: (state: AgentState) => readonly Message[] = memoize((state) => {
  const live = streamingMessage(state);
  return live === null ? settledMessages(state) : [...settledMessages(state), live];
});

const idsOf = memoize((list: readonly Message[]): readonly string[] => list.map((message) => message.id));
let lastIds: { base: readonly string[]; live: string; ids: readonly string[] } = {
  base: emptyIds,
  live: '',
  ids: emptyIds,
};

/** The ids of `messages`: the same array for as long as no message is added or removed. */
export function messageIds(state: AgentState): readonly string[] {
  const base = idsOf(settledMessages(state));
  const live = streamingMessage(state);
  if (live === null) return base;
  if (lastIds.base !== base || lastIds.live !== live.id)
    lastIds = { base, live: live.id, ids: [...base, live.id] };
  return lastIds.ids;
}

const byId = memoize((list: readonly Message[]) => new Map(list.map((message) => [message.id, message])));

/** One message by its id; null when there is none. */
export function message(state: AgentState, id: string): Message | null {
  const live = streamingMessage(state);
  if (live !== null && live.id === id) return live;
  return byId(settledMessages(state)).get(id) ?? null;
}

const viewOf = memoize((snapshot: AgentSessionSnapshot): BudgetView => {
  const { state, budget } = snapshot;
  const { totalTokens, cost } = usage(state);
  const seconds = executionDuration(state) / 1000;
  return budgetView(budget, { steps: stepCount(state), tokens: totalTokens, seconds, cost: cost ?? 0 });
});

// The accessors of the state that user interfaces select by, so that one import serves them.
export {
  pendingApprovals,
  stepCount,
  steps,
  stopReason,
  stopSignals,
  usage,
} from '../graph/agent-state/accessors.ts';

/** Spent, limit and left, per limit. */
export function budget(snapshot: AgentSessionSnapshot): BudgetView {
  return viewOf(snapshot);
}
