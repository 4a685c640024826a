import * as errors from './errors.ts';
import type { AgentError } from './agent-error.ts';

/** Calls `callback` after `ms` milliseconds, unless the returned function is called before. */
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

/** Longest delay of a timer, about 24.8 days; longer ones fire at once. */
export const longestTimerMs = 2 ** 31 - 1;

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

type Guard = {
  /** The author of the code, for the error: `hook "audit"`, `tool "search"`. */
  readonly author: string;
  /** Ends the wait with its reason. Null: only the time limit ends it. */
  readonly signal: AbortSignal | null;
  /** Milliseconds until the wait ends. Null, NaN and values above a timer's limit (24.8 days) mean no limit. */
  readonly timeoutMs: number | null;
  /** Default: `setTimeout`. */
  readonly schedule?: Schedule;
};

/**
 * Waits for user code no longer than the signal and the time limit allow. The code is not started under an aborted
 * signal. Its errors reject the promise, at once or later; its results after the wait are ignored.
 * @throws AgentError `user-code-timeout` with `data: { author, timeoutMs }`, or the signal's reason.
 */
export function callGuarded<Value>(guard: Guard, call: () => Value | PromiseLike<Value>): Promise<Value> {
  const { signal } = guard;
  if (signal?.aborted) return Promise.reject(signal.reason);
  const outcome = new Promise<Value>((resolve) => resolve(call()));
  return new Promise<Value>((resolve, reject) => {
    let cancelTimer = (): void => undefined;
    // This also runs after the race is lost: then the listener and the timer are gone and the promise is settled.
    const settle = (answer: () => void): void => {
      cancelTimer();
      signal?.removeEventListener('abort', onAbort);
      answer();
    };
    const onAbort = (): void => settle(() => reject(signal?.reason));
    cancelTimer = startTimer(guard, (error) => settle(() => reject(error)));
    outcome.then(
      (value) => settle(() => resolve(value)),
      (error: unknown) => settle(() => reject(error)),
    );
    if (signal?.aborted) onAbort();
    else signal?.addEventListener('abort', onAbort);
  });
}

function startTimer(guard: Guard, onTimeout: (error: AgentError) => void): () => void {
  const { author, timeoutMs, schedule = timeout } = guard;
  const isLimited = timeoutMs !== null && timeoutMs <= longestTimerMs;
  if (!isLimited) return () => undefined;
  const ms = Math.max(0, timeoutMs);
  return schedule(ms, () => onTimeout(errors.userCodeTimeout({ author, timeoutMs: ms })));
}

/** The producer's side of an iteration. */
export type Channel<Value> = {
  /** Aborted with the caller's signal. */
  readonly signal: AbortSignal;
  /** Hands over a value without waiting. */
  readonly post: (value: Value) => void;
  /** Hands over a value and waits until the next one is requested. */
  readonly send: (value: Value) => Promise<void>;
  /** Waits until everything has been taken and more is requested. */
  readonly untilDrained: () => Promise<void>;
};

/**
 * Creates an iterable whose producer starts with the first `next()` and never runs ahead of a `send` or `untilDrained`.
 * When the consumer leaves while the producer waits there, the producer ends without another step; elsewhere it is
 * aborted.
 */
export function createChannel<Value>(
  callerSignal: AbortSignal | undefined,
  produce: (channel: Channel<Value>) => Promise<void>,
): AsyncIterableIterator<Value> {
  const buffer: Value[] = [];
  const controller = new AbortController();
  let wakeConsumer: (() => void) | null = null;
  let producer: { wake: () => void; abandon: () => void } | null = null;
  let isStarted = false;
  let isOver = false;
  let failure: { error: unknown } | null = null;

  const untilDrained = (): Promise<void> =>
    new Promise(
      (wake, reject) => (producer = { wake, abandon: () => reject(new Error('The iteration was left.')) }),
    );
  const post = (value: Value): void => {
    buffer.push(value);
    wakeConsumer?.();
  };
  const channel: Channel<Value> = {
    signal: controller.signal,
    post,
    send(value) {
      post(value);
      return untilDrained();
    },
    untilDrained() {
      const waiting = untilDrained();
      wakeConsumer?.();
      return waiting;
    },
  };

  const onAbort = (): void => controller.abort(callerSignal?.reason);
  function start(): void {
    isStarted = true;
    if (callerSignal?.aborted) onAbort();
    else callerSignal?.addEventListener('abort', onAbort, { once: true });
    produce(channel)
      .catch((error: unknown) => (failure = { error }))
      .finally(() => {
        isOver = true;
        callerSignal?.removeEventListener('abort', onAbort);
        wakeConsumer?.();
      });
  }

  async function take(): Promise<IteratorResult<Value>> {
    while (buffer.length === 0 && !isOver) {
      const waiting = producer;
      producer = null;
      const woken = new Promise<void>((resolve) => (wakeConsumer = resolve));
      waiting?.wake();
      await woken;
      wakeConsumer = null;
    }
    if (buffer.length > 0) return { done: false, value: buffer.shift() as Value };
    if (failure !== null) throw failure.error;
    return { done: true, value: undefined };
  }

  const ask = inOrder(take);
  const iterator: AsyncIterableIterator<Value> = {
    [Symbol.asyncIterator]: () => iterator,
    next() {
      if (!isStarted && !isOver) start();
      return ask();
    },
    async return() {
      isOver = true;
      buffer.length = 0;
      if (producer !== null) producer.abandon();
      else if (isStarted) controller.abort('The iteration was left');
      wakeConsumer?.();
      return { done: true, value: undefined };
    },
  };
  return iterator;
}

function inOrder<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let turn: Promise<unknown> = Promise.resolve();
  return () => {
    const mine = turn.then(ask);
    turn = mine.catch(() => undefined);
    return mine;
  };
}
