import { toolCalls } from '../../graph/message.ts';
import type { Message } from '../../graph/message.ts';
import type { MessagePart, ReasoningPart, TextPart } from '../../graph/message-part.ts';
import { requested } from '../../graph/tool-execution.ts';
import type { AgentState } from '../../graph/types.ts';
import type { AgentEventOf } from '../events.ts';
import { type HandlersOf, nothing, step } from './handler.ts';
import { placed } from './placed.ts';

/** Changes the parts of the answer that comes in. */
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

/**
 * Parts are named by their place. Strings are only ever appended to, which costs the same however long they are.
 */
function withDelta(
  parts: readonly MessagePart[],
  type: 'text' | 'reasoning',
  { partId, delta, providerMetadata }: AgentEventOf<'text-delta' | 'reasoning-delta'>,
): readonly MessagePart[] {
  const at = Number(partId);
  const known = parts[at];
  const base: TextPart | ReasoningPart = known?.type === type ? known : { type, text: '' };
  const text = base.text + delta;
  const next = providerMetadata
    ? { ...base, text, providerMetadata: { ...base.providerMetadata, ...providerMetadata } }
    : { ...base, text };
  if (base !== known) return parts.concat(next);
  const copy = parts.slice();
  copy[at] = next;
  return copy;
}

export const inferenceHandlers: HandlersOf<
  | 'inference-start'
  | 'text-delta'
  | 'reasoning-delta'
  | 'tool-call-start'
  | 'tool-call'
  | 'file'
  | 'source'
  | 'inference-end'
  | 'budget-wait'
> = {
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

  'tool-call-start': () => ({}),
  'budget-wait': () => ({}),

  'tool-call': (state, { toolCallId, toolName, input, providerCallId, providerMetadata }) =>
    answer(state, (parts) =>
      parts.concat({
        type: 'tool-call',
        toolCallId,
        toolName,
        input,
        providerCallId,
        ...(providerMetadata ? { providerMetadata } : {}),
      }),
    ),

  file: (state, { part }) => answer(state, (parts) => parts.concat(part)),
  source: (state, { part }) => answer(state, (parts) => parts.concat(part)),

  'inference-end'(state, { response, toolTrace }) {
    const current = state.execution?.currentStep;
    if (!state.execution || !current) return {};
    const [message] = current.outputMessages;
    const toolExecutions =
      message === undefined
        ? []
        : toolCalls(message).map(({ toolCallId: id, toolName: name, input, providerCallId }) =>
            requested({ id, name, input, providerCallId }),
          );
    const isCut = response.finishReason === 'length';
    const outputMessages =
      message === undefined || message.parts.length === 0
        ? []
        : [isCut ? { ...message, metadata: { ...message.metadata, truncated: true } } : message];
    const ended = { ...current, inferenceResponse: response, toolExecutions, outputMessages };
    const { step: tagged, store } = placed(state, ended, toolTrace, none);
    return {
      context: store === state.context.store ? state.context : { ...state.context, store },
      execution: { ...state.execution, currentStep: tagged },
    };
  },
};

const none: ReadonlySet<string> = new Set();
