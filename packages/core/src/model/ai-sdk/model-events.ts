import type { InferenceCall, InferenceEvent } from '../inference-client.ts';
import type { ModelStream, ModelStreamPart, ModelStreamReader } from './language-model.ts';
import { toInferenceEvent } from './to-inference-event.ts';
import { upstreamErrorEvent } from './upstream-error.ts';

const brokenOff: InferenceEvent = {
  type: 'error',
  code: 'stream-incomplete',
  message: 'The answer broke off: the provider ended the stream without saying that it was finished.',
  retryable: true,
  retryAfterMs: null,
};

/** An iterator that also works without promises, which cost more than a small event. */
export type DirectIterator<Value> = AsyncIterator<Value, undefined> & {
  /**
   * Calls `onValue` once, with null at the end, or `onError`; possibly before it returns. Only one call may be
   * pending.
   */
  readonly nextDirect: (onValue: (value: Value | null) => void, onError: (error: unknown) => void) => void;
};

const nobody = (): void => undefined;

/** The events of one model call, which begins when the first is requested. */
export function modelEvents(
  open: () => Promise<ModelStream<ModelStreamPart>>,
  { signal, onError: onFailure = nobody }: InferenceCall,
): DirectIterator<InferenceEvent> {
  let reader: ModelStreamReader<ModelStreamPart> | null = null;
  let isOver = false;
  let onEvent: (event: InferenceEvent | null) => void = nobody;
  let onError: (error: unknown) => void = nobody;

  /** Also ends a stream that opens, or a read that is answered, only afterwards. */
  function close(): void {
    isOver = true;
    void reader?.cancel().catch(nobody);
  }

  async function begin(): Promise<void> {
    reader = (await open()).getReader();
    if (isOver) close();
  }

  function read(): void {
    if (isOver) onEvent(null);
    else if (reader === null) begin().then(read, onFailed);
    else if (reader.readDirect) reader.readDirect(onRead, onFailed);
    else reader.read().then(onRead, onFailed);
  }

  function onRead({ done, value }: ReadableStreamReadResult<ModelStreamPart>): void {
    if (isOver) return onEvent(null);
    let event: InferenceEvent | null;
    try {
      if (!done && value.type === 'error') onFailure(value.error);
      event = done ? brokenOff : toInferenceEvent(value);
    } catch (error) {
      return onFailed(error);
    }
    if (event === null) return read();
    if (event.type === 'finish' || event.type === 'error') close();
    onEvent(event);
  }

  function onFailed(error: unknown): void {
    const isLeft = isOver;
    close();
    if (signal.aborted) return onError(signal.reason);
    if (isLeft) return onEvent(null);
    onFailure(error);
    onEvent(upstreamErrorEvent(error));
  }

  const nextDirect: DirectIterator<InferenceEvent>['nextDirect'] = (onValue, onFail) => {
    onEvent = onValue;
    onError = onFail;
    read();
  };

  return {
    nextDirect,
    next: () =>
      new Promise((resolve, reject) =>
        nextDirect(
          (value) => resolve(value === null ? { done: true, value: undefined } : { done: false, value }),
          reject,
        ),
      ),
    async return() {
      close();
      return { done: true, value: undefined };
    },
  };
}
