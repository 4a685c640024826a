'use client';

import {
  type AgentDefinition,
  type ChatMessage,
  type ChatToolCall,
  Conversation,
  type JsonValue,
  type SessionSnapshot,
  type Tool,
  type ToolOutput,
} from '@vitrine/core';
import type { SessionCommands, ToolNames } from '@vitrine/core/types';
import { useCallback, useMemo } from 'react';
import { shallow } from 'zustand/shallow';
import { useNearestSession } from '../agent-context.ts';
import type { ToolCallOf, ToolOutputOf } from '../agent-types.ts';
import { useSelection } from '../use-selection.ts';

/** The calls of one tool in the conversation, in order. */
export type UseToolResult<Call, Output> = {
  /** Calls that have not ended: requested, waiting for a person, or running. */
  readonly pending: readonly Call[];
  /** Calls that have ended: completed, failed, blocked, rejected, interrupted or stopped. */
  readonly finished: readonly Call[];
  /** Answers a call with the status `awaiting-output`. */
  readonly respond: (toolCallId: string, output: Output) => ReturnType<SessionCommands['respond']>;
};

const open: readonly string[] = ['requested', 'awaiting-approval', 'awaiting-output', 'running'];

/**
 * Returns the calls of one tool, typed by the tool itself, or by an agent and the tool's name.
 * @example
 * const { pending, respond } = useTool(askUser);
 * return pending.map((call) => <Question key={call.toolCallId} call={call} onAnswer={(answer) => respond(call.toolCallId, answer)} />);
 */
export function useTool<T extends Tool>(tool: T): UseToolResult<ToolCallOf<T>, ToolOutputOf<T>>;
export function useTool<
  Agent extends AgentDefinition = AgentDefinition,
  Name extends ToolNames<Agent> = ToolNames<Agent>,
>(name: Name): UseToolResult<ChatToolCall<Agent, Name>, ToolOutput<Agent, Name>>;
export function useTool(tool: Tool | string): UseToolResult<ChatToolCall, unknown> {
  const name = typeof tool === 'string' ? tool : tool.name;
  const session = useNearestSession('useTool');
  const select = useCallback(
    ({ state }: SessionSnapshot) => {
      const live = Conversation.streamingMessage(state);
      const settled = Conversation.settledMessages(state).flatMap((message) => callsOf(message, name));
      return live === null ? settled : [...settled, ...callsOf(live, name)];
    },
    [name],
  );
  const calls = useSelection(session.store, select, shallow);
  return useMemo(
    () => ({
      pending: calls.filter(({ status }) => open.includes(status)),
      finished: calls.filter(({ status }) => !open.includes(status)),
      respond: (toolCallId, output) => session.respond(toolCallId, output as JsonValue),
    }),
    [calls, session],
  );
}

const none: readonly ChatToolCall[] = [];

function callsOf({ role, parts }: ChatMessage, name: string): readonly ChatToolCall[] {
  if (role !== 'assistant') return none;
  return parts.filter((part) => part.type === 'tool-call').filter((part) => part.toolName === name);
}
