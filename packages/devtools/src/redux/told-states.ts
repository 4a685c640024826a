import { AgentState } from '@vitrine/core';

/** Something that is asked for, by its type. */
export type Payload = { readonly type: string; readonly [name: string]: unknown };

export function isPayload(value: unknown): value is Payload {
  return (
    typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
  );
}

/** A state from outside; null for what is none. */
export function readState(told: unknown): AgentState | null {
  try {
    return AgentState.fromJSON(typeof told === 'string' ? JSON.parse(told) : told);
  } catch {
    return null;
  }
}

/** The state at which an imported history stands. */
export function lastState(lifted: unknown): AgentState | null {
  const { computedStates, currentStateIndex } = (lifted ?? {}) as {
    computedStates?: unknown;
    currentStateIndex?: unknown;
  };
  if (!Array.isArray(computedStates)) return null;
  const at = typeof currentStateIndex === 'number' ? currentStateIndex : computedStates.length - 1;
  return readState((computedStates[at] as { state?: unknown } | undefined)?.state);
}

/** The state of a dispatched `{"type": "__setState", "state": …}`; null for any other action. */
export function dispatchedState(text: unknown): AgentState | null {
  try {
    const action: unknown = JSON.parse(String(text));
    return isPayload(action) && action.type === '__setState' ? readState(action['state']) : null;
  } catch {
    return null;
  }
}
