type Schedule = (ms: number, callback: () => void) => () => void;

/** Waits for a time; rejects with the signal's reason when it is aborted first. */
export function sleep(ms: number, signal: AbortSignal, schedule: Schedule = timeout): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const onAbort = (): void => {
      cancel();
      reject(signal.reason);
    };
    const cancel = schedule(ms, () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

const timeout: Schedule = (ms, callback) => {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
};
