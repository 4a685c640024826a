'use client';

import type { AgentState, SessionSnapshot } from '@vitrine/core';
import { useCallback } from 'react';
import { shallow } from 'zustand/shallow';
import { useNearestSession } from '../agent-context.ts';
import { useSelection } from '../use-selection.ts';

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
