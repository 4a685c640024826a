'use client';

import { AgentState, finalOutput, type Schema, sessionSelectors as Conversation } from '@vitrine/core';
import { useMemo } from 'react';
import { parsePartialJson } from '../parse-partial-json.ts';
import { useAgentState } from './use-agent-state.ts';

/** A value that is still coming in: whatever is in an object or an array may be missing. */
export type PartialOutput<Output> = Output extends readonly (infer Item)[]
  ? readonly PartialOutput<Item>[]
  : Output extends object
    ? { readonly [Key in keyof Output]?: PartialOutput<Output[Key]> }
    : Output;

export type AgentOutputView<Output> = {
  /** As much as has come, not validated; null before there is anything. */
  readonly partial: PartialOutput<Output> | null;
  /** The final answer as data of the schema; null until there is one that fits. */
  readonly final: Output | null;
};

/**
 * The answer of an agent whose `responseFormat` is a schema, while it comes in and when it is complete.
 * @example
 * const { partial, final } = useAgentOutput(recipe);
 */
export function useAgentOutput<Output>(schema: Schema<Output>): AgentOutputView<Output> {
  const text = useAgentState(answerText);
  const finished = useAgentState(finishedState);
  return useMemo(
    () => ({
      partial: (parsePartialJson(text) ?? null) as PartialOutput<Output> | null,
      final: finished === null ? null : outputOf(finished, schema),
    }),
    [text, finished, schema],
  );
}

function answerText(state: AgentState): string {
  const live = Conversation.streamingMessage(state);
  if (live === null) return AgentState.finalResponse(state);
  return live.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

function finishedState(state: AgentState): AgentState | null {
  return AgentState.hasFinalResponse(state) && AgentState.status(state) === 'completed' ? state : null;
}

function outputOf<Output>(state: AgentState, schema: Schema<Output>): Output | null {
  try {
    return finalOutput(state, schema);
  } catch {
    return null;
  }
}
