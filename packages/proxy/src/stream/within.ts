/** The result of a promise within this many milliseconds; the other value when it is late or rejects. */
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
