import type { AgentState } from '@vitrine/core';
import { useRef } from 'react';
import { useSessionEntryContext } from './agent-context.ts';
import { useSnapshot } from './use-snapshot.ts';

/**
 * Any part of the state. The component renders again when the part changes, compared with `Object.is` or with `equal`.
 * @example
 * const status = useAgentState(AgentState.status);
 */
export function useAgentState<Value>(
  selector: (state: AgentState) => Value,
  equal: (a: Value, b: Value) => boolean = Object.is,
): Value {
  const entry = useSessionEntryContext('useAgentState');
  const last = useRef<{ value: Value } | null>(null);
  return useSnapshot(entry, ({ state }) => {
    const value = selector(state);
    if (last.current === null || !equal(last.current.value, value)) last.current = { value };
    return last.current.value;
  });
}
