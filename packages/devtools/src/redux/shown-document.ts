import { AgentState } from '@vitrine/core';
import { redact } from '@vitrine/core/inspect';

/** The document of a state with secrets redacted. */
export function shownDocument(state: AgentState): unknown {
  return shownValue(AgentState.toJSON(state));
}

/** A value as JSON with secrets redacted. */
export function shownValue(value: unknown): unknown {
  return JSON.parse(JSON.stringify(redact(value)));
}
