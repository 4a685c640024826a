/**
 * Iterates until the signal is aborted, then throws its reason, also when the source never answers again. The iterator
 * is written by hand: a generator would double the time of a delta.
 */
export function untilAborted<Value>(
  source: AsyncIterable<Value>,
  signal: AbortSignal,
): AsyncIterableIterator<Value> {
  const iterator = source[Symbol.asyncIterator]();
  // One listener serves the whole stream. Racing every chunk against the signal would pile up reactions on it.
  let rejectPending: (reason: unknown) => void = () => undefined;
  const onAbort = (): void => fail(signal.reason);
  let isOver = false;
  signal.addEventListener('abort', onAbort, { once: true });

  function end(): void {
    if (isOver) return;
    isOver = true;
    signal.removeEventListener('abort', onAbort);
    // The return is not awaited: a source that hangs must not hold up the run.
    void Promise.resolve()
      .then(() => iterator.return?.())
      .catch(() => undefined);
  }

  function fail(reason: unknown): void {
    end();
    rejectPending(reason);
  }

  const over: IteratorReturnResult<undefined> = { done: true, value: undefined };
  return {
    next: () =>
      new Promise((resolve, reject) => {
        if (signal.aborted) end();
        if (isOver) return signal.aborted ? reject(signal.reason) : resolve(over);
        rejectPending = reject;
        iterator.next().then(
          (result) => {
            if (result.done === true) end();
            resolve(result);
          },
          (thrown: unknown) => {
            end();
            reject(thrown);
          },
        );
      }),
    return() {
      end();
      return Promise.resolve(over);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** A signal that aborts with the first of the given ones, and the function that removes its listeners. */
export function linkSignals(signals: readonly AbortSignal[]): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController();
  const listeners = signals.map((signal) => {
    const onAbort = (): void => controller.abort(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    return () => signal.removeEventListener('abort', onAbort);
  });
  return { signal: controller.signal, release: () => listeners.forEach((remove) => remove()) };
}
