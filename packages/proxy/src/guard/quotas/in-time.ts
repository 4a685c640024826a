/** The longest wait for an answer of a limiter, in milliseconds. */
const limiterMs = 2000;

/**
 * The answer of a limiter. Rejects when the answer takes too long; a late answer goes to `onLate`, which returns points
 * that nobody waits for any more.
 */
export function inTime<Value>(
  asked: Promise<Value>,
  onLate: (answer: PromiseSettledResult<Value>) => void,
): Promise<Value> {
  let isLate = false;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      isLate = true;
      reject(new Error(`The limiter did not answer within ${limiterMs} ms.`));
    }, limiterMs);
    const settle = (answer: PromiseSettledResult<Value>): void => {
      clearTimeout(timer);
      if (isLate) onLate(answer);
      else if (answer.status === 'fulfilled') resolve(answer.value);
      else reject(answer.reason);
    };
    asked.then(
      (value) => settle({ status: 'fulfilled', value }),
      (reason: unknown) => settle({ status: 'rejected', reason }),
    );
  });
}
