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
  const patience = createPatience(signal);
  let limit = limits.firstEventMs;
  let isTerminal = false;
  try {
    while (!isTerminal) {
      const result = await patience.wait(() => iterator.next(), limit);
      if (result === 'timeout') return yield streamErrors.silent(limit);
      if (result === 'aborted' || result.done === true) return;
      limit = limits.idleMs;
      isTerminal = result.value.type === 'finish' || result.value.type === 'error';
      yield result.value;
    }
  } finally {
    patience.end();
    // Not awaited: a source that hangs must not hold up the end.
    void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}

type Patience = {
  /** What comes, or why it is waited for no more. */
  readonly wait: <Value>(
    come: () => Promise<Value>,
    limitMs: number,
  ) => Promise<Value | 'timeout' | 'aborted'>;
  readonly end: () => void;
};

/** Waits for one thing after the other with one timer and one listener: a pair for each event costs as much as the event. */
function createPatience(signal: AbortSignal): Patience {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let limit = 0;
  let since = 0;
  let giveUp: ((why: 'timeout' | 'aborted') => void) | null = null;

  function look(): void {
    const left = giveUp === null ? limit : since + limit - performance.now();
    if (left > 0) timer = setTimeout(look, left);
    else giveUp?.('timeout');
  }

  const onAbort = (): void => giveUp?.('aborted');
  signal.addEventListener('abort', onAbort, { once: true });
  return {
    wait: (come, limitMs) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return resolve('aborted');
        [giveUp, since] = [resolve, performance.now()];
        if (limitMs !== limit) {
          limit = limitMs;
          clearTimeout(timer);
          timer = setTimeout(look, limit);
        }
        const came = (settle: () => void): void => {
          giveUp = null;
          settle();
        };
        come().then(
          (value) => came(() => resolve(value)),
          (error: unknown) => came(() => reject(error)),
        );
      }),
    end() {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    },
  };
}
