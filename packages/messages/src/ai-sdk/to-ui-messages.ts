import type { ChatMessage, ChatPart, ChatToolCall } from '@vitrine/core/internal/agent/chat-message';
import { currentStep, stopReason, usage } from '@vitrine/core/internal/graph/agent-state/accessors';
import { section } from '@vitrine/core/internal/graph/message-store';
import type { Message, ToolResultPart } from '@vitrine/core/internal/graph/message';
import { wasForceStopped } from '@vitrine/core/internal/graph/stop-reason';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import { settledMessages, streamingMessage } from '@vitrine/core/internal/session/conversation/conversation';
import { nestedCalls, toUiPart, toUiToolPart } from './to-ui-parts.ts';
import {
  type UiCall,
  type UiEnvelope,
  uiIdKey,
  type UiMessage,
  type UiPart,
  type UiVitrine,
} from './ui-message.ts';

/** The messages of one UI message: a user's, or all of an answer with its calls and results. */
type Group = { readonly members: readonly Message[]; readonly views: readonly ChatMessage[] };

const cache = new WeakMap<Message, Group & { readonly message: UiMessage }>();

/**
 * Converts the active branch of a conversation to messages of the AI SDK. An answer is one message with all of its
 * steps. What a UI message has no place for is in `metadata.vitrine`, so that `importUiMessages` gives back the same
 * messages. A file that the store keeps has a `vitrine-blob:` address. Unchanged messages keep their reference.
 * @example
 * const chat = new Chat({ messages: toUiMessages(session.store.getState().state), transport: vitrineTransport(session) });
 */
export function toUiMessages(state: AgentState): UiMessage[] {
  const groups = groupsOf(state);
  return groups.map((group, index) => {
    const [first] = group.members as [Message];
    const isLast = index === groups.length - 1 && state.execution !== null;
    const known = cache.get(first);
    if (!isLast && known && same(known.members, group.members) && same(known.views, group.views))
      return known.message;
    const message = toUiMessage(group, isLast ? state : null);
    if (!isLast) cache.set(first, { ...group, message });
    return message;
  });
}

function same(before: readonly unknown[], after: readonly unknown[]): boolean {
  return before.length === after.length && before.every((entry, index) => entry === after[index]);
}

/** The id of a message for the AI SDK: the one that it gave, or ours. */
export function uiIdOf({ id, metadata }: Pick<Message, 'id' | 'metadata'>): string {
  const given = metadata[uiIdKey];
  return typeof given === 'string' ? given : id;
}

function groupsOf(state: AgentState): readonly Group[] {
  const { store } = state.context;
  const live = streamingMessage(state);
  const views = new Map(settledMessages(state).map((view) => [view.id, view]));
  if (live !== null) views.set(live.id, live);
  const listed = [...section(store), ...section(store, 'execution_buffer')];
  const inFlight = currentStep(state)?.outputMessages ?? [];
  const all = [
    ...listed,
    ...inFlight.filter(({ id, parts }) => parts.length > 0 && !listed.some((one) => one.id === id)),
  ];
  const groups: { members: Message[]; views: ChatMessage[] }[] = [];
  let open: (typeof groups)[number] | null = null;
  for (const message of all) {
    const view = views.get(message.id);
    const isAnswer = message.role === 'assistant' || message.role === 'tool';
    if (!isAnswer || open === null) {
      // Results without a call, as after a removal, have no place.
      if (view === undefined) continue;
      groups.push((open = { members: [message], views: [view] }));
      if (!isAnswer) open = null;
    } else {
      open.members.push(message);
      if (view !== undefined) open.views.push(view);
    }
  }
  return groups;
}

function toUiMessage({ members, views }: Group, state: AgentState | null): UiMessage {
  const [first] = members as [Message];
  const live = state === null ? null : streamingMessage(state);
  const isAnswer = first.role === 'assistant';
  const own = isAnswer ? {} : ownMetadata(first);
  return {
    id: uiIdOf(first),
    role: first.role as UiMessage['role'],
    metadata: { ...own, vitrine: vitrineOf(members, views, state) },
    parts: isAnswer
      ? views.flatMap((view) => [{ type: 'step-start' as const }, ...stepParts(view, view === live)])
      : views.flatMap(({ parts }) => parts.map((part) => toUiPart(part as Exclude<ChatPart, ChatToolCall>))),
  };
}

function ownMetadata({ metadata }: Message): { [key: string]: unknown } {
  const { [uiIdKey]: _id, ...own } = metadata;
  return own;
}

function stepParts(view: ChatMessage, isLive: boolean): UiPart[] {
  const parts = view.parts.map((part, index): UiPart => {
    if (part.type === 'tool-call') return toUiToolPart(part);
    const ui = toUiPart(part);
    if (ui.type !== 'text' && ui.type !== 'reasoning') return ui;
    return { ...ui, state: isLive && index === view.parts.length - 1 ? 'streaming' : 'done' };
  });
  const nested = nestedOf(view);
  // A step of their own, so that the helpers of `sendAutomaticallyWhen` do not wait for the call above them.
  return nested.length === 0
    ? parts
    : [...parts, { type: 'step-start' }, ...nested.map(({ call }) => toUiToolPart(call))];
}

/** The calls of subagents in an answer that a person has to see. */
export function nestedOf({ parts }: ChatMessage): ReturnType<typeof nestedCalls> {
  return parts.flatMap((part) =>
    part.type === 'tool-call' ? nestedCalls(part.childState, [part.toolCallId]) : [],
  );
}

/** The metadata of ours for an answer whose first message is given. */
export function vitrineOfAnswer(state: AgentState, firstId: string): UiVitrine | null {
  const group = groupsOf(state).findLast(({ members }) => members[0]?.id === firstId);
  return group === undefined ? null : vitrineOf(group.members, group.views, state);
}

function vitrineOf(
  members: readonly Message[],
  views: readonly ChatMessage[],
  state: AgentState | null,
): UiVitrine {
  const results = new Map(
    members.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === 'tool-result' ? [[part.toolCallId, part] as const] : [])),
    ),
  );
  const calls = views.flatMap((view) => [
    ...view.parts.flatMap((part): [string, UiCall][] =>
      part.type === 'tool-call' ? [[part.toolCallId, callOf(part, results.get(part.toolCallId))]] : [],
    ),
    ...nestedOf(view).map(({ call, path }): [string, UiCall] => [call.toolCallId, { path: [...path] }]),
  ]);
  const isAnswer = members[0]?.role === 'assistant';
  return {
    messages: members.map(envelopeOf),
    ...(calls.length === 0 ? {} : { calls: Object.fromEntries(calls) }),
    ...(isAnswer && state !== null ? { usage: usage(state), ...forcedEnd(state) } : {}),
  };
}

function forcedEnd(state: AgentState): Pick<UiVitrine, 'stopReason'> {
  const reason = stopReason(state);
  return reason !== null && wasForceStopped(reason) ? { stopReason: reason } : {};
}

function envelopeOf({ id, role, createdAt, parentId, metadata, parts }: Message): UiEnvelope {
  const isPlain = role === 'user' || role === 'system' || Object.keys(metadata).length === 0;
  return {
    id,
    createdAt,
    ...(parentId === null ? {} : { parentId }),
    ...(isPlain ? {} : { metadata }),
    ...(role === 'tool'
      ? { results: parts.flatMap((part) => (part.type === 'tool-result' ? [part.toolCallId] : [])) }
      : {}),
  };
}

function callOf(call: ChatToolCall, result: ToolResultPart | undefined): UiCall {
  const { providerCallId } = call as { readonly providerCallId?: string | null };
  return {
    ...(providerCallId == null ? {} : { providerCallId }),
    ...(call.durationMs === null ? {} : { durationMs: call.durationMs }),
    ...(result === undefined || result.outcome === 'completed'
      ? {}
      : { outcome: result.outcome, result: result.output }),
  };
}
