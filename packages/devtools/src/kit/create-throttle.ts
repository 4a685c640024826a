/** A store of a frequently changing value, as `useSyncExternalStore` expects it. */
export type Throttled<Value> = {
  readonly subscribe: (listener: () => void) => () => void;
  readonly getSnapshot: () => Value;
};

/**
 * Publishes a frequently changing value at most once per interval; a change is published no later than
 * that.
 */
export function createThrottle<Value>(
  subscribe: (listener: () => void) => () => void,
  read: () => Value,
  pause: () => number,
): Throttled<Value> {
  let value = read();
  return {
    getSnapshot: () => value,
    subscribe(listener) {
      let timer: ReturnType<typeof setTimeout> | null = null;
      const publish = (): void => {
        timer = null;
        value = read();
        listener();
      };
      const unsubscribe = subscribe(() => {
        timer ??= setTimeout(publish, pause());
      });
      value = read();
      return () => {
        unsubscribe();
        if (timer !== null) clearTimeout(timer);
      };
    },
  };
}
