import type { InferenceEvent } from '@vitrine/core';
import { streamErrors } from './stream-errors.ts';
import type { StreamLimits } from './stream-limits.ts';

/** The stream up to its first `finish` or `error`, ended by an `upstream-timeout` when the next event takes too long. */
export async function* withTimeouts(
  source: AsyncIterable<InferenceEvent>,
  limits: Pick<StreamLimits, 'firstEventMs' | 'idleMs'>,
  signal: AbortSignal,
): AsyncGenerator<InferenceEvent> {
  const iterator = source[Symbol.asyncIterator]();
  let limit = limits.firstEventMs;
  let isTerminal = false;
  try {
    while (!isTerminal) {
      const result = await next(iterator, limit, signal);
      if (result === 'timeout') return yield streamErrors.silent(limit);
      if (result === 'aborted' || result.done === true) return;
      limit = limits.idleMs;
      isTerminal = result.value.type === 'finish' || result.value.type === 'error';
      yield result.value;
    }
  } finally {
    // Not awaited: a source that hangs must not hold up the end.
    void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}

function next<Value>(
  iterator: AsyncIterator<Value>,
  limitMs: number,
  signal: AbortSignal,
): Promise<IteratorResult<Value> | 'timeout' | 'aborted'> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return resolve('aborted');
    const onAbort = (): void => settle(() => resolve('aborted'));
    const timer = setTimeout(() => settle(() => resolve('timeout')), limitMs);
    const settle = (how: () => void): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      how();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    iterator.next().then(
      (result) => settle(() => resolve(result)),
      (error: unknown) => settle(() => reject(error)),
    );
  });
}
