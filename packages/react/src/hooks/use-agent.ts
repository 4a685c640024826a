'use client';

import type { AgentDefinition, ChatMessage } from '@vitrine/core';
import { useDebugValue, useInsertionEffect, useMemo, useSyncExternalStore } from 'react';
import type { OutputViewOf } from '../agent-types.ts';
import type { AgentCommands } from '../commands.ts';
import type { AgentFields } from '../fields.ts';
import { createFieldTracker } from '../tracked-fields.ts';
import { type SessionSource, type UseAgentOptions, useSharedSession } from '../use-shared-session.ts';

/**
 * The result of `useAgent`: a flat object with the data of a session, typed by its agent, and its commands.
 */
export type UseAgentResult<Agent extends AgentDefinition = AgentDefinition> = Omit<
  AgentFields,
  'messages' | 'output'
> & {
  /** The messages of a chat, including the answer that streams. */
  readonly messages: readonly ChatMessage<Agent>[];
  /**
   * The structured output, partial while it streams and final when it is complete; null for an agent
   * without a schema.
   */
  readonly output: OutputViewOf<Agent>;
} & AgentCommands;

const none: UseAgentOptions = {};

/**
 * Connects a component to an agent: its conversation, its status and its commands.
 *
 * The component renders again only for the fields that it reads while rendering. Handlers and effects read
 * the current value and subscribe to nothing. The functions keep their identity for the session's life.
 * @example
 * const { messages, status, sendMessage, stop } = useAgent(assistant, { sessionId });
 */
export function useAgent<Agent extends AgentDefinition>(
  agent: Agent,
  options?: UseAgentOptions,
): UseAgentResult<Agent>;
export function useAgent(ready: SessionSource): UseAgentResult;
export function useAgent(
  source: AgentDefinition | SessionSource,
  options: UseAgentOptions = none,
): UseAgentResult {
  const session = useSharedSession(source, options);
  const tracker = useMemo(() => createFieldTracker(session), [session]);
  const result = useSyncExternalStore(session.store.subscribe, tracker.current, tracker.initial);
  tracker.open();
  // Runs before any layout effect, so that reads in effects do not subscribe, like those in handlers.
  useInsertionEffect(() => tracker.close());
  useDebugValue(session.store, (store) => store.getState());
  return result as UseAgentResult;
}
