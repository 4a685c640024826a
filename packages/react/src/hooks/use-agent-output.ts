'use client';

import { Conversation, type Schema, type SessionSnapshot } from '@vitrine/core';
import { useCallback } from 'react';
import { useNearestSession } from '../agent-context.ts';
import type { OutputView } from '../agent-types.ts';
import { useSelection } from '../use-selection.ts';

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
