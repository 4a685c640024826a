'use client';

import {
  type AgentSession,
  type AgentState,
  Conversation,
  type Schema,
  type SessionSnapshot,
} from '@vitrine/core';
import { useCallback } from 'react';
import { shallow } from 'zustand/shallow';
import { useNearestSession } from '../agent-context.ts';
import type { OutputView } from '../agent-types.ts';
import { useSelection } from '../use-selection.ts';

/**
 * Returns the controller of the nearest `<AgentSessionProvider>`: its commands and its store, without a subscription.
 */
export function useAgentSession(): AgentSession {
  return useNearestSession('useAgentSession');
}

/**
 * Selects any part of the state. Selectors may build values: the component renders again only when `equal`
 * returns false.
 *
 * `equal` compares arrays and objects one level deep by default. An error that a selector throws goes to
 * the error boundary above, as with any hook of React. The views and fields of this library never throw.
 * @example
 * const { steps, tokens } = useAgentState((state) => ({ steps: AgentState.stepCount(state), tokens: AgentState.usage(state).totalTokens }));
 */
export function useAgentState<Value>(
  selector: (state: AgentState) => Value,
  equal: (a: Value, b: Value) => boolean = shallow,
): Value {
  const { store } = useNearestSession('useAgentState');
  const select = useCallback(({ state }: SessionSnapshot) => selector(state), [selector]);
  return useSelection(store, select, equal);
}

/**
 * Returns the structured output of an agent whose `responseFormat` is a schema: partial while it streams,
 * final when complete.
 * @example
 * const { partial, final } = useAgentOutput(recipe);
 */
export function useAgentOutput<Output>(schema: Schema<Output>): OutputView<Output> {
  const { store } = useNearestSession('useAgentOutput');
  const select = useCallback(({ state }: SessionSnapshot) => Conversation.output(state, schema), [schema]);
  return useSelection(store, select, Object.is) as OutputView<Output>;
}
