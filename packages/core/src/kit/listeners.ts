/** Calls application code. Its errors are reported and do not affect the caller. */
export function callSafely(callback: () => void): void {
  try {
    callback();
  } catch (thrown) {
    if (typeof reportError === 'function') reportError(thrown);
  }
}

export type Listeners<Value> = {
  readonly add: (listener: (value: Value) => void) => () => void;
  readonly notify: (value: Value) => void;
};

export function createListeners<Value>(): Listeners<Value> {
  const listeners = new Set<(value: Value) => void>();
  return {
    add(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    notify(value) {
      for (const listener of listeners) callSafely(() => listener(value));
    },
  };
}
