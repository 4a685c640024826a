'use client';

import {
  type AgentSession,
  type AgentState,
  Conversation,
  PluginState,
  type Schema,
  type SessionSnapshot,
} from '@vitrine/core';
import type { PluginReference } from '@vitrine/core/types';
import { useCallback } from 'react';
import { shallow } from 'zustand/shallow';
import { useNearestSession } from '../agent-context.ts';
import type { OutputView } from '../agent-types.ts';
import { useSelection } from '../use-selection.ts';

/**
 * Returns the controller of the nearest `<AgentSessionProvider>`: its commands and its store, without a
 * subscription.
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

/**
 * Changes the state of a plugin, also during a run.
 * @throws AgentError `plugin-state-invalid` with the schema's issues, as a rejection.
 */
export type UpdatePluginState<State> = (update: (value: State | undefined) => State) => Promise<void>;

/**
 * Returns the state of a plugin, or the result of a selector on it, and a function that changes it.
 * @example
 * const [notes, update] = usePluginState(notesPlugin);
 * <button onClick={() => update((list = []) => [...list, 'new'])}>Add</button>
 */
export function usePluginState<State>(
  plugin: PluginReference<State>,
): readonly [State | undefined, UpdatePluginState<State>];
export function usePluginState<State, Value>(
  plugin: PluginReference<State>,
  selector: (value: State | undefined) => Value,
): readonly [Value, UpdatePluginState<State>];
export function usePluginState<State>(
  plugin: PluginReference<State>,
  selector?: (value: State | undefined) => unknown,
): readonly [unknown, UpdatePluginState<State>] {
  const session = useNearestSession('usePluginState');
  const select = useCallback(
    (state: AgentState): unknown => {
      const value = PluginState.get(state, plugin);
      return selector ? selector(value) : value;
    },
    [plugin, selector],
  );
  const value = useAgentState(select);
  const update = useCallback<UpdatePluginState<State>>(
    (change) =>
      session.update((state) => PluginState.set(state, plugin, change(PluginState.get(state, plugin)))),
    [session, plugin],
  );
  return [value, update];
}
