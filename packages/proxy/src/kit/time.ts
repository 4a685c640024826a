import { longestTimerMs } from '@vitrine/core/internal/kit/async';

/** The sign that a promise took too long. */
export const late = Symbol('late');

/** The result of a promise, or `late` after this many milliseconds. Rejects as the promise does. */
export async function orLate<Value>(ms: number, promise: Promise<Value>): Promise<Value | typeof late> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<typeof late>((resolve) => {
    timer = setTimeout(resolve, Math.min(Math.max(0, ms), longestTimerMs), late);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/** The result of a promise within this many milliseconds; the other value when it is late or rejects. */
export async function within<Value>(ms: number, promise: Promise<Value>, otherwise: Value): Promise<Value> {
  const value = await orLate(ms, promise).catch((): typeof late => late);
  return value === late ? otherwise : value;
}
