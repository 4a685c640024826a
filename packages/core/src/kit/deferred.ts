/** A promise with the functions that settle it. */
export type Deferred<Value> = ReturnType<typeof createDeferred<Value>>;

export function createDeferred<Value>() {
  let resolve: (value: Value) => void = () => undefined;
  let reject: (reason: unknown) => void = () => undefined;
  const promise = new Promise<Value>((onValue, onReason) => {
    resolve = onValue;
    reject = onReason;
  });
  return { promise, resolve, reject };
}
