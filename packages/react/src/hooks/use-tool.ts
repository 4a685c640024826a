'use client';

import {
  type AgentState,
  type JsonValue,
  type SessionCommands,
  sessionSelectors as Conversation,
  type Tool,
  type ToolExecution,
} from '@vitrine/core';
import { useCallback, useMemo } from 'react';
import { useNearestSession } from '../agent-context.ts';
import type { InputOf, OutputOf } from '../agent-types.ts';
import { useAgentState } from './use-agent-state.ts';

/** A call of one tool, typed by it. */
export type CallOf<T extends Tool> = Omit<ToolExecution, 'toolCall' | 'result'> & {
  readonly toolCall: Omit<ToolExecution['toolCall'], 'input'> & { readonly input: InputOf<T> };
  /** Absent until completed. */
  readonly result?: OutputOf<T>;
};

export type UseToolResult<T extends Tool> = {
  /** The calls of the present execution that have not ended, in order. */
  readonly pending: readonly CallOf<T>[];
  /** Those that have: completed, failed, blocked, rejected, interrupted or stopped. */
  readonly finished: readonly CallOf<T>[];
  /** The output of a call that the interface answers. */
  readonly respond: (toolCallId: string, output: OutputOf<T>) => ReturnType<SessionCommands['respond']>;
};

const open: ReadonlySet<ToolExecution['status']> = new Set([
  'requested',
  'awaiting-approval',
  'awaiting-output',
  'running',
]);

/**
 * The calls of one tool, by the tool itself or by its name.
 * @example
 * const { pending, respond } = useTool(askUser);
 * return pending.map(({ id, toolCall }) => <Question key={id} text={toolCall.input.text} onAnswer={(answer) => respond(id, answer)} />);
 */
export function useTool<T extends Tool>(tool: T | T['name']): UseToolResult<T> {
  const name = typeof tool === 'string' ? tool : tool.name;
  const session = useNearestSession('useTool');
  const select = useCallback(
    (state: AgentState) =>
      Conversation.steps(state).flatMap((step) =>
        step.toolExecutions.filter(({ toolCall }) => toolCall.name === name),
      ),
    [name],
  );
  const calls = useAgentState(select) as readonly CallOf<T>[];
  return useMemo(
    () => ({
      pending: calls.filter(({ status }) => open.has(status)),
      finished: calls.filter(({ status }) => !open.has(status)),
      respond: (toolCallId, output) => session.respond(toolCallId, output as JsonValue),
    }),
    [calls, session],
  );
}
