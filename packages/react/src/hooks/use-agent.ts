'use client';

import type { AgentDefinition, ChatMessage } from '@vitrine/core';
import { useDebugValue, useInsertionEffect, useMemo, useSyncExternalStore } from 'react';
import type { OutputViewOf } from '../agent-types.ts';
import type { AgentCommands } from '../commands.ts';
import type { AgentFields } from '../fields.ts';
import { createFieldTracker } from '../tracked-fields.ts';
import { type SessionSource, type UseAgentOptions, useSharedSession } from '../use-shared-session.ts';

/** A flat object: the data of a session, typed by its agent, and what can be done with it. */
export type UseAgentResult<Agent extends AgentDefinition = AgentDefinition> = Omit<
  AgentFields,
  'messages' | 'output'
> & {
  /** What a chat shows, the answer that streams included. */
  readonly messages: readonly ChatMessage<Agent>[];
  /** The answer as data while it comes in and when it is complete; null for an agent without a schema for it. */
  readonly output: OutputViewOf<Agent>;
} & AgentCommands;

const none: UseAgentOptions = {};

/**
 * An agent in a component: its conversation, its status, and what can be done with it. The component renders again only
 * for the fields that it reads while it renders; handlers and effects read the present value and subscribe to nothing.
 * Functions are the same for the session's life.
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
  // Before any layout effect, so that reads in effects count as little as those in handlers.
  useInsertionEffect(() => tracker.close());
  useDebugValue(session.store, (store) => store.getState());
  return result as UseAgentResult;
}
