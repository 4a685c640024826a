'use client';

import type { AgentState, SessionSnapshot } from '@vitrine/core';
import { useCallback } from 'react';
import { shallow } from 'zustand/shallow';
import { useNearestSession } from '../agent-context.ts';
import { useSelection } from '../use-selection.ts';

/**
 * Any part of the state. Selectors may build values: two are the same when `equal` says so, which compares arrays and
 * objects one level deep unless another one is given.
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
