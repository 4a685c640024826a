import type { ChatMessage } from '../../agent/chat-message.ts';
import { currentStep, stepExecutions } from '../../graph/agent-state/accessors.ts';
import { section } from '../../graph/message-store.ts';
import type { Message } from '../../graph/message.ts';
import type { AgentState, ToolExecution } from '../../graph/types.ts';
import { memoize, nothing } from '../../kit/memoize.ts';
import { total } from '../../kit/total.ts';
import { withCalls } from './conversation-calls.ts';
import { extender, type SectionView, sectionView } from './conversation-section.ts';

export { branches } from '../branches/conversation-branches.ts';
export { budget } from './conversation-budget.ts';
// The accessors of the state for user interfaces, so that one import serves them.
export { pendingApprovals, stepCount } from '../../graph/agent-state/accessors.ts';
export { steps } from '../../graph/agent-state/accessors.ts';
export { stopReason, stopSignals } from '../../graph/agent-state/accessors.ts';
export { usage } from '../../graph/agent-state/accessors.ts';

/** The answer in progress. It is in the step in flight, not among the messages yet. */
export const streamingMessage: (state: AgentState) => ChatMessage | null = total(
  'streamingMessage',
  (state: AgentState) => {
    const step = currentStep(state);
    const live =
      step === null || step.inferenceResponse !== null ? null : (step.outputMessages.at(-1) ?? null);
    return live === null || live.parts.length === 0 ? null : withCalls(live, () => null);
  },
  () => null,
);

/** The complete messages, without the streaming one; the same array while deltas come in. */
export const settledMessages: (state: AgentState) => readonly ChatMessage[] = total(
  'settledMessages',
  (state: AgentState) => settled(state).views,
  () => nothing,
);

/**
 * The messages of a chat, the trace of the run in progress, and the streaming answer. Each call carries its
 * own result, so messages with results are not listed.
 * A message keeps its reference while it and the sources of its calls stay the same.
 */
export const messages: (state: AgentState) => readonly ChatMessage[] = total<
  [AgentState],
  readonly ChatMessage[]
>(
  'messages',
  memoize((state: AgentState) => {
    const live = streamingMessage(state);
    return live === null ? settledMessages(state) : settledMessages(state).concat(live);
  }),
  () => nothing,
);

/** The ids of `messages`; the same array until a message is added or removed. */
export const messageIds: (state: AgentState) => readonly string[] = total<[AgentState], readonly string[]>(
  'messageIds',
  memoize((state: AgentState) => {
    const { ids, idsWith } = settled(state);
    const live = streamingMessage(state);
    return live === null ? ids : idsWith(live.id);
  }),
  () => nothing,
);

/** Returns one message by its id; null when there is none. */
export const message: (state: AgentState, id: string) => ChatMessage | null = total(
  'message',
  (state: AgentState, id: string) => {
    const live = streamingMessage(state);
    if (live !== null && live.id === id) return live;
    const { placeOf, views } = settled(state);
    return views[placeOf(id)] ?? null;
  },
  () => null,
);

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

/** Adds the current state of the calls in the step in flight. */
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

/** Returns the message of the step in flight, whose calls have no results among the messages yet. */
function withRuns(message: ChatMessage, runs: ReadonlyMap<string, ToolExecution>): ChatMessage {
  // Fields that a view adds to a message are computed again.
  return withCalls(message as Message, (id) => ({ run: runs.get(id) ?? null, result: null }));
}
