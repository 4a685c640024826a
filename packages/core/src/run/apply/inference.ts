import {
  toolCalls,
  type Message,
  type MessagePart,
  type ReasoningPart,
  type TextPart,
  type ToolCallPart,
} from '../../graph/message.ts';
import { withItem } from '../../kit/memoize.ts';
import { ofCall, toolResultText } from '../../graph/tool-execution.ts';
import type { JsonValue } from '../../kit/json.ts';
import { indexOfCall } from '../state-at.ts';
import type { ErrorInfo } from '../../graph/error-info.ts';
import type { AgentState, ToolExecution } from '../../graph/types.ts';
import { addCharge } from '../../graph/usage-of-call.ts';
import type { AgentEventOf } from '../events.ts';
import { type Handlers, nothing, step, placeOutput } from './handler.ts';

/** Changes the parts of the answer in flight. */
function answer(
  state: AgentState,
  update: (parts: readonly MessagePart[]) => readonly MessagePart[],
): Partial<AgentState> {
  const { execution } = state;
  const current = execution?.currentStep;
  const message = current?.outputMessages[0];
  if (!execution || !current || message === undefined) return nothing;
  const parts = update(message.parts);
  if (parts === message.parts) return nothing;
  return {
    execution: { ...execution, currentStep: { ...current, outputMessages: [{ ...message, parts }] } },
  };
}

/** The most parts of an answer: each event copies their list, and a hostile model may begin one a word. */
const mostParts = { all: 1000, calls: 10_000 };

/** Appends a delta to the part at its position; at the limit of parts, to the last part of its kind. */
function withDelta(
  parts: readonly MessagePart[],
  type: 'text' | 'reasoning',
  { partId, delta, providerMetadata }: AgentEventOf<'text-delta' | 'reasoning-delta'>,
): readonly MessagePart[] {
  const isFull = parts.length >= mostParts.all && parts[Number(partId)]?.type !== type;
  const at = isFull ? parts.findLastIndex((part) => part.type === type) : Number(partId);
  if (at < 0) return parts;
  const known = parts[at];
  const base: TextPart | ReasoningPart = known?.type === type ? known : { type, text: '' };
  const text = base.text + delta;
  const next = providerMetadata
    ? { ...base, text, providerMetadata: { ...base.providerMetadata, ...providerMetadata } }
    : { ...base, text };
  return withItem(parts, base === known ? at : parts.length, next);
}

/** Adds a part; calls, files and sources over their limit are dropped. */
function withPart(parts: readonly MessagePart[], part: MessagePart): readonly MessagePart[] {
  const most = part.type === 'tool-call' ? mostParts.calls : mostParts.all;
  return parts.length < most ? withItem(parts, parts.length, part) : parts;
}

export const inferenceHandlers = {
  'inference-start'(state, { messageId, sent, texts, at }) {
    const message: Message = {
      id: messageId,
      role: 'assistant',
      parts: [],
      metadata: {},
      createdAt: at,
      parentId: null,
    };
    const started = step(state, (current) => ({
      ...current,
      sent,
      outputMessages: [message],
      inferenceResponse: null,
      toolExecutions: [],
    }));
    return Object.keys(texts).length === 0 ? started : { ...started, texts: { ...state.texts, ...texts } };
  },

  'text-delta': (state, event) => answer(state, (parts) => withDelta(parts, 'text', event)),
  'reasoning-delta': (state, event) => answer(state, (parts) => withDelta(parts, 'reasoning', event)),

  'usage-charge'(state, { usage, hook }) {
    const { execution } = state;
    if (execution === null) return {};
    const { currentStep } = execution;
    if (currentStep === null)
      return { execution: { ...execution, extraUsage: addCharge(execution.extraUsage, usage) } };
    const extraUsage = addCharge(currentStep.extraUsage, usage);
    const { sent } = currentStep;
    const isOwn = hook === null && sent !== null;
    const step = {
      ...currentStep,
      extraUsage,
      ...(isOwn ? { sent: { ...sent, isCharged: true as const } } : {}),
    };
    return { execution: { ...execution, currentStep: step } };
  },

  'first-delta': () => ({}),
  'tool-call-start': () => ({}),
  'budget-wait': () => ({}),
  'price-record': () => ({}),

  'tool-call': (state, { toolCallId, toolName, input, providerCallId, providerMetadata }) =>
    answer(state, (parts) =>
      withPart(parts, {
        type: 'tool-call',
        toolCallId,
        toolName,
        input,
        providerCallId,
        ...(providerMetadata ? { providerMetadata } : {}),
      }),
    ),

  file: (state, { part }) => answer(state, (parts) => withPart(parts, part)),
  source: (state, { part }) => answer(state, (parts) => withPart(parts, part)),

  'tool-elsewhere': (state, { toolCallId, outcome, result, at }) =>
    step(state, (current) => {
      if (current.inferenceResponse !== null) return current;
      const part = callIn(current.outputMessages[0], toolCallId);
      if (part === undefined || indexOfCall(current.toolExecutions, toolCallId) >= 0) return current;
      const error = outcome === 'completed' ? null : elsewhereError(result);
      const call: ToolExecution = {
        ...requestedBy(part),
        status: outcome,
        ...(error === null ? { result } : {}),
        error,
        completedAt: at,
        settledAt: at,
        isElsewhere: true,
      };
      return {
        ...current,
        toolExecutions: withItem(current.toolExecutions, current.toolExecutions.length, call),
        errors: error === null ? current.errors : [...current.errors, error],
      };
    }),

  'inference-end'(state, { response, toolTrace, callLimit, at }) {
    const current = state.execution?.currentStep;
    if (!state.execution || !current) return {};
    const [message] = current.outputMessages;
    // The answer of a watched run ends again when its stream brings more calls after the first result.
    const isAgain = current.inferenceResponse !== null;
    const began = new Map(current.toolExecutions.map((call) => [call.id, call]));
    const toolExecutions =
      message === undefined
        ? []
        : toolCalls(message).map((part, index): ToolExecution => {
            const call = began.get(part.toolCallId) ?? requestedBy(part);
            if (callLimit === undefined || index < callLimit.most || call.isElsewhere) return call;
            // It never began. One event ends all of an answer: each would copy the list.
            return { ...call, status: 'failed', error: callLimit.error, completedAt: at, settledAt: at };
          });
    const isCut = response.finishReason === 'length';
    const outputMessages =
      message === undefined || message.parts.length === 0
        ? []
        : [isCut ? { ...message, metadata: { ...message.metadata, truncated: true } } : message];
    const isOver = callLimit !== undefined && toolExecutions.length > callLimit.most;
    const errors = isOver ? [...current.errors, callLimit.error] : current.errors;
    const ended = { ...current, inferenceResponse: response, toolExecutions, outputMessages, errors };
    const known = isAgain && message !== undefined ? new Set([message.id]) : none;
    const { step: tagged, store } = placeOutput(state, ended, toolTrace, known);
    return {
      context: store === state.context.store ? state.context : { ...state.context, store },
      execution: { ...state.execution, currentStep: tagged },
    };
  },
} satisfies Partial<Handlers>;

/** The last call of an id in an answer; searched from its end, because a result follows its call closely. */
function callIn(message: Message | undefined, toolCallId: string): ToolCallPart | undefined {
  return message?.parts.findLast(
    (part): part is ToolCallPart => part.type === 'tool-call' && part.toolCallId === toolCallId,
  );
}

function requestedBy({ toolCallId: id, toolName: name, input, providerCallId }: ToolCallPart): ToolExecution {
  return ofCall({ id, name, input, providerCallId });
}

function elsewhereError(result: JsonValue): ErrorInfo {
  return { name: 'Error', message: toolResultText(result), code: 'tool-failed', data: {}, cause: null };
}

const none: ReadonlySet<string> = new Set();
