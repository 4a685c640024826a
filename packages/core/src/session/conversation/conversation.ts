// The namespace `Conversation`: the view of a state for a chat.
import type { ChatMessage } from '../../agent/chat-message.ts';
import type { Schema } from '../../agent/schema.ts';
import { currentStep, stepExecutions } from '../../graph/agent-state/accessors.ts';
import { systemEnv } from '../../graph/env.ts';
import { type BudgetView, budgetView, withGrant } from '../../graph/execution-budget.ts';
import { sessionSpent, spentOf } from '../../graph/limits.ts';
import { section } from '../../graph/message-store.ts';
import { type Message, text as textOf } from '../../graph/message.ts';
import type { AgentContext, AgentState, ToolExecution } from '../../graph/types.ts';
import { type JsonValue, modelJson, readJson } from '../../kit/json.ts';
import { memoize, nothing } from '../../kit/memoize.ts';
import { createPartialJsonReader, parsePartialJson, type PartialJsonReader } from '../../kit/partial-json.ts';
import { stripFence } from '../../kit/text.ts';
import { total } from '../../kit/total.ts';
import type { SessionSnapshot } from '../agent-session.ts';
import { withCalls } from './conversation-calls.ts';
import { extender, type SectionView, sectionView } from './conversation-section.ts';

export { branches } from '../branches/conversation-branches.ts';
// The accessors of the state for user interfaces, so that one import serves them.
export {
  pendingApprovals,
  stepCount,
  steps,
  stopReason,
  stopSignals,
  usage,
} from '../../graph/agent-state/accessors.ts';

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
  (state: AgentState) => viewSettled(state).views,
  () => nothing,
);

/**
 * The messages of a chat, the trace of the run in progress, and the streaming answer. Each call carries its
 * own result, so messages with results are not listed.
 * A message keeps its reference while it and the sources of its calls stay the same.
 */
export const messages = total<[state: AgentState], readonly ChatMessage[]>(
  'messages',
  memoize((state: AgentState) => {
    const live = streamingMessage(state);
    return live === null ? settledMessages(state) : settledMessages(state).concat(live);
  }),
  () => nothing,
);

/** The ids of `messages`; the same array until a message is added or removed. */
export const messageIds = total<[state: AgentState], readonly string[]>(
  'messageIds',
  memoize((state: AgentState) => {
    const { ids, idsWith } = viewSettled(state);
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
    const { placeOf, views } = viewSettled(state);
    return views[placeOf(id)] ?? null;
  },
  () => null,
);

function viewSettled(state: AgentState): SectionView {
  const steps = stepExecutions(state);
  const said = sectionView(section(state.context.store), steps);
  const trace = sectionView(section(state.context.store, 'execution_buffer'), steps);
  const both = trace.ids.length === 0 ? said : joinViews(said)(trace);
  const calls = currentStep(state)?.toolExecutions ?? [];
  return calls.length === 0 ? both : current(both)(calls);
}

const joinViews = memoize((first: SectionView) =>
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
    // The results of the step in flight are not among the messages yet. Fields that a view adds are computed again.
    views[at] = withCalls(found as Message, (id) => ({ run: runs.get(id) ?? null, result: null }));
    return { ...list, views };
  }),
);

/** An answer as data: the partial value, and the final one when it fits its schema. */
export type SomeOutput = { readonly partial: unknown; readonly final: unknown };

const noOutput: SomeOutput = { partial: null, final: null };

const views = new WeakMap<Schema, WeakMap<ChatMessage, SomeOutput>>();

/** The output of an answer with a schema; the same object while the answer stays the same. */
export const output: (state: AgentState, schema: Schema) => SomeOutput = total(
  'output',
  readOutput,
  () => noOutput,
);

function readOutput(state: AgentState, schema: Schema): SomeOutput {
  const streaming = streamingMessage(state);
  const message = streaming ?? lastAnswer(state);
  if (message === null) return noOutput;
  const isFinal = streaming === null && state.execution?.status === 'completed';
  const known = views.get(schema) ?? new WeakMap<ChatMessage, SomeOutput>();
  views.set(schema, known);
  const view = known.get(message);
  // An answer is final only when its run is.
  if (view && (!isFinal || view.final !== null)) return view;
  const text = textOf(message);
  const partial = streaming ? partialOf(state.context, message.id, text) : parsePartialJson(text);
  const next = { partial: partial ?? null, final: isFinal ? validateOutput(text, schema) : null };
  if (view && next.final === null) return view;
  known.set(message, next);
  return next;
}

function lastAnswer(state: AgentState): ChatMessage | null {
  const last = settledMessages(state).at(-1);
  return last?.role === 'assistant' ? last : null;
}

/** The incremental parse of a streaming answer. */
type Reading = { readonly id: string; readonly text: string; readonly reader: PartialJsonReader };

/** The parses by the context of the state, which keeps its reference during deltas. */
const readings = new WeakMap<AgentContext, Reading>();

/** Returns the partial value of a streaming answer. Each call costs only the added text. */
function partialOf(context: AgentContext, id: string, text: string): JsonValue | undefined {
  const known = readings.get(context);
  const goesOn = known !== undefined && known.id === id && text.startsWith(known.text);
  const reader = goesOn ? known.reader : createPartialJsonReader();
  reader.read(text);
  readings.set(context, { id, text, reader });
  return reader.value();
}

function validateOutput(text: string, schema: Schema): unknown {
  const json = readJson(stripFence(text), modelJson);
  if (!json.ok) return null;
  try {
    const result = schema['~standard'].validate(json.value);
    // The run itself awaits asynchronous schemas; this view can only use synchronous ones.
    return result instanceof Promise || result.issues !== undefined ? null : result.value;
  } catch {
    return null;
  }
}

/** Returns spent, limit and left for each limit; the same value for one snapshot. */
export const budget: (snapshot: SessionSnapshot) => BudgetView = memoize(
  ({ state, status, budget: limits, sessionBudget }) => {
    // Before the first run nothing is spent, and a page that is rendered ahead must not read the clock. The time in
    // which an interrupted run stands still does not count.
    const isStill = state.execution === null || status === 'interrupted';
    const spent = spentOf(state, isStill ? state.updatedAt : systemEnv.now());
    const granted = withGrant(limits, state.execution?.grants);
    return budgetView(granted, spent, sessionBudget && { limits: sessionBudget, spent: sessionSpent(state) });
  },
);
