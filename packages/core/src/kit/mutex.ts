/** Runs tasks one after the other, in the order in which they were handed in. */
export type Mutex = <Value>(task: () => Value | Promise<Value>) => Promise<Value>;

export function createMutex(): Mutex {
  let tail: Promise<unknown> = Promise.resolve();
  return (task) => {
    const result = tail.then(task);
    tail = result.catch(() => undefined);
    return result;
  };
}
