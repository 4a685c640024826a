/** The longest delay of a timer, about 24.8 days; a longer one fires at once. */
export const longestTimerMs = 2 ** 31 - 1;

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
