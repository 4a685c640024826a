/** What the promise gives in this many milliseconds; else, or when it rejects, the other value. */
export function within<Value>(ms: number, promise: Promise<Value>, otherwise: Value): Promise<Value> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms, otherwise);
    const settle = (value: Value): void => {
      clearTimeout(timer);
      resolve(value);
    };
    promise.then(settle, () => settle(otherwise));
  });
}
