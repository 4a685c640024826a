/** Calls application code. Its errors are reported and do not affect the caller. */
export function callSafely(callback: () => void): void {
  try {
    callback();
  } catch (thrown) {
    reportThrown(thrown);
  }
}

/** Reports an error for which nobody waits, as the browser does for event listeners; the console shows it. */
export function reportThrown(thrown: unknown): void {
  if (typeof reportError === 'function') reportError(thrown);
}

export type Listeners<Value> = ReturnType<typeof createListeners<Value>>;

export function createListeners<Value>() {
  const listeners = new Set<(value: Value) => void>();
  return {
    add(listener: (value: Value) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    notify(value: Value): void {
      for (const listener of listeners) callSafely(() => listener(value));
    },
  };
}
