import { AgentState } from '@vitrine/core';
import { redact } from '@vitrine/core/inspect';

/** A state as it may be told to others. */
export function shownDocument(state: AgentState): unknown {
  return shownValue(AgentState.toJSON(state));
}

/** A value as it may be told to others: JSON without secrets. */
export function shownValue(value: unknown): unknown {
  return JSON.parse(JSON.stringify(redact(value)));
}
