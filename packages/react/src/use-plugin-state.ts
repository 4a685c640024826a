import { type PluginReference, PluginState } from '@vitrine/core';
import { useCallback } from 'react';
import { useSessionEntryContext } from './agent-context.ts';
import { useAgentState } from './use-agent-state.ts';

/**
 * The state of a plugin and a function that changes it while no run is going on.
 * The function throws AgentError `plugin-state-invalid` with the schema's issues, or `session-busy` during a run.
 */
export function usePluginState<State>(
  plugin: PluginReference<State>,
): readonly [State | undefined, (update: (value: State | undefined) => State) => void];
export function usePluginState<State, Value>(
  plugin: PluginReference<State>,
  selector: (value: State | undefined) => Value,
): readonly [Value, (update: (value: State | undefined) => State) => void];
export function usePluginState<State>(
  plugin: PluginReference<State>,
  selector: (value: State | undefined) => unknown = (value) => value,
): readonly [unknown, (update: (value: State | undefined) => State) => void] {
  const { session } = useSessionEntryContext('usePluginState');
  const value = useAgentState((state) => selector(PluginState.get(state, plugin)));
  const update = useCallback(
    (change: (value: State | undefined) => State) =>
      session.update((state) => PluginState.set(state, plugin, change(PluginState.get(state, plugin)))),
    [session, plugin],
  );
  return [value, update];
}
