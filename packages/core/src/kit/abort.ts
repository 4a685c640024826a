/** Iterates until the signal is aborted, then throws its reason, even when the source never answers again. */
export async function* untilAborted<Value>(
  source: AsyncIterable<Value>,
  signal: AbortSignal,
): AsyncGenerator<Value> {
  const iterator = source[Symbol.asyncIterator]();
  // One listener for the whole stream: racing every chunk against the signal would pile up reactions on it.
  let rejectPending: ((reason: unknown) => void) | null = null;
  const onAbort = (): void => rejectPending?.(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    for (;;) {
      signal.throwIfAborted();
      const result = await new Promise<IteratorResult<Value>>((resolve, reject) => {
        rejectPending = reject;
        iterator.next().then(resolve, reject);
      });
      if (result.done === true) return;
      yield result.value;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    // Not awaited: a source that hangs must not hold up the run.
    void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}

/** A signal that is aborted with the first of the given ones, and the function that lets go of them. */
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
