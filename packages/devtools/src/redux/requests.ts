/** A request of the extension, with its type. */
export type Payload = { readonly type: string; readonly [name: string]: unknown };

export function isPayload(value: unknown): value is Payload {
  return (
    typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
  );
}

/** The state of an imported history and the number of its next action; null for any other value. */
export function liftedState(
  lifted: unknown,
): { readonly document: unknown; readonly nextActionId: number } | null {
  const { computedStates, currentStateIndex, nextActionId } = (lifted ?? {}) as {
    computedStates?: unknown;
    currentStateIndex?: unknown;
    nextActionId?: unknown;
  };
  if (!Array.isArray(computedStates)) return null;
  const at = typeof currentStateIndex === 'number' ? currentStateIndex : computedStates.length - 1;
  return {
    document: (computedStates[at] as { state?: unknown } | undefined)?.state,
    nextActionId: typeof nextActionId === 'number' ? nextActionId : computedStates.length,
  };
}

/** The document of a dispatched `{"type": "__setState", "state": …}`; null for any other action. */
export function dispatchedDocument(text: unknown): unknown {
  try {
    const action: unknown = JSON.parse(String(text));
    return isPayload(action) && action.type === '__setState' ? action['state'] : null;
  } catch {
    return null;
  }
}
