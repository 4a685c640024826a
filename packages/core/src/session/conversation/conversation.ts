import type { ChatMessage } from '../../agent/chat-message.ts';
import { currentStep, stepExecutions } from '../../graph/agent-state/views.ts';
import { section } from '../../graph/sections.ts';
import type { Message } from '../../graph/message.ts';
import type { AgentState, ToolExecution } from '../../graph/types.ts';
import { memoize } from '../../kit/memoize.ts';
import { withCalls } from './conversation-calls.ts';
import { extender, type SectionView, sectionView } from './conversation-section.ts';

export { branches } from '../branches/conversation-branches.ts';
export { budget } from './conversation-budget.ts';
// The accessors of the state that user interfaces select by, so that one import serves them.
export { pendingApprovals, stepCount } from '../../graph/agent-state/views.ts';
export { steps } from '../../graph/agent-state/steps.ts';
export { stopReason, stopSignals } from '../../graph/agent-state/signals.ts';
export { usage } from '../../graph/agent-state/usage.ts';

/** The answer that is still coming in: it is in the step in flight, not among the messages yet. */
export function streamingMessage(state: AgentState): ChatMessage | null {
  const step = currentStep(state);
  const live = step === null || step.inferenceResponse !== null ? null : (step.outputMessages.at(-1) ?? null);
  return live === null || live.parts.length === 0 ? null : withCalls(live, () => null);
}

/** The messages that are complete, without the one that streams: the same array while deltas come in. */
export function settledMessages(state: AgentState): readonly ChatMessage[] {
  return settled(state).views;
}

/**
 * What a chat shows: the messages, the trace of the run in progress, and the answer that streams. Messages that hold
 * results are not listed; each call carries its own. A message is the same object for as long as it and what is
 * known of its calls do not change.
 */
export const messages: (state: AgentState) => readonly ChatMessage[] = memoize((state) => {
  const live = streamingMessage(state);
  return live === null ? settledMessages(state) : settledMessages(state).concat(live);
});

/** The ids of `messages`: the same array for as long as no message is added or removed. */
export const messageIds: (state: AgentState) => readonly string[] = memoize((state) => {
  const { ids, idsWith } = settled(state);
  const live = streamingMessage(state);
  return live === null ? ids : idsWith(live.id);
});

/** One message by its id; null when there is none. */
export function message(state: AgentState, id: string): ChatMessage | null {
  const live = streamingMessage(state);
  if (live !== null && live.id === id) return live;
  const { placeOf, views } = settled(state);
  return views[placeOf(id)] ?? null;
}

function settled(state: AgentState): SectionView {
  const steps = stepExecutions(state);
  const said = sectionView(section(state.context.store), steps);
  const trace = sectionView(section(state.context.store, 'execution_buffer'), steps);
  const both = trace.ids.length === 0 ? said : joined(said)(trace);
  const calls = currentStep(state)?.toolExecutions ?? [];
  return calls.length === 0 ? both : current(both)(calls);
}

const joined = memoize((first: SectionView) =>
  memoize((second: SectionView): SectionView => {
    const ids = [...first.ids, ...second.ids];
    return {
      views: [...first.views, ...second.views],
      ids,
      idsWith: extender(ids),
      placeOf(id) {
        const at = second.placeOf(id);
        return at < 0 ? first.placeOf(id) : first.ids.length + at;
      },
    };
  }),
);

/** With the calls of the step in flight as they stand at this moment. */
const current = memoize((list: SectionView) =>
  memoize((calls: readonly ToolExecution[]): SectionView => {
    const runs = new Map(calls.map((run) => [run.id, run]));
    const at = list.views.findLastIndex(({ parts }) =>
      parts.some((part) => part.type === 'tool-call' && runs.has(part.toolCallId)),
    );
    const found = list.views[at];
    if (found === undefined) return list;
    const views = list.views.slice();
    views[at] = withRuns(found, runs);
    return { ...list, views };
  }),
);

/** The message of the step in flight: its calls have no results among the messages yet. */
function withRuns(message: ChatMessage, runs: ReadonlyMap<string, ToolExecution>): ChatMessage {
  // What a view adds to a message is told anew.
  return withCalls(message as Message, (id) => ({ run: runs.get(id) ?? null, result: null }));
}
