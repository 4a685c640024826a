'use client';

import { type AgentState, PluginState } from '@vitrine/core';
import type { PluginReference } from '@vitrine/core/types';
import { useCallback } from 'react';
import { useNearestSession } from '../agent-context.ts';
import { useAgentState } from './use-agent-state.ts';

// Apart from the other hooks: the checks of a plugin's state are 4.6 kB, which a chat loads with the first view of a plugin.

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
