/** The producer's side of an iteration. */
export type Channel<Value> = {
  /** Aborted with the caller's signal. */
  readonly signal: AbortSignal;
  /** Hands over a value without waiting. */
  readonly post: (value: Value) => void;
  /** Hands over a value and waits until the next one is requested. */
  readonly send: (value: Value) => Promise<void>;
  /** Waits until everything has been taken and more is requested. */
  readonly drained: () => Promise<void>;
};

/**
 * Creates an iterable whose producer starts with the first `next()` and never runs ahead of a `send` or `drained`.
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

  const drained = (): Promise<void> =>
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
      return drained();
    },
    drained() {
      const waiting = drained();
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

/** Answers concurrent requests in order. */
function inOrder<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let turn: Promise<unknown> = Promise.resolve();
  return () => {
    const mine = turn.then(ask);
    turn = mine.catch(() => undefined);
    return mine;
  };
}
