import type { StreamLog } from './stream-log.ts';

/** The error of a log of streams that failed; its cause is the log's own error. */
export class StreamLogFailure extends Error {
  override readonly name = 'StreamLogFailure';
}

/**
 * The longest wait for an answer of a log, in milliseconds. A storage that hangs does not fail by itself: its client
 * keeps commands until the connection is closed.
 */
const answerMs = 4000;

/**
 * Wraps a log so that its errors can be told from those of the proxy, which answers such a request with 503. A log that
 * does not answer in time has failed.
 */
export function withKnownFailures(log: StreamLog): StreamLog {
  return {
    create: (...asked) => inTime(log.create(...asked)),
    append: (...asked) => known(() => log.append(...asked)),
    read: (...asked) => known(() => log.read(...asked)),
    head: (...asked) => inTime(log.head(...asked)),
    renew: (...asked) => inTime(log.renew(...asked)),
    attend: (...asked) => inTime(log.attend(...asked)),
    watch: log.watch,
    close: log.close,
  };
}

function known<Value>(ask: () => Value | Promise<Value>): Value | Promise<Value> {
  try {
    const answer = ask();
    return answer instanceof Promise ? inTime(answer) : answer;
  } catch (error) {
    return fail(error);
  }
}

function inTime<Value>(answer: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const late = (): void => reject(failure(new Error(`No answer came within ${answerMs} ms.`)));
    const timer = setTimeout(late, answerMs);
    const failed = (cause: unknown): void => reject(failure(cause));
    answer.then(resolve, failed).finally(() => clearTimeout(timer));
  });
}

function fail(cause: unknown): never {
  throw failure(cause);
}

function failure(cause: unknown): StreamLogFailure {
  return new StreamLogFailure('The log of streams failed', { cause });
}
