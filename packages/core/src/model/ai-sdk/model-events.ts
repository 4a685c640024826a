import type { InferenceCall, InferenceEvent } from '../inference-client.ts';
import type { ModelStreamPart } from './language-model.ts';
import { toInferenceEvent } from './to-inference-event.ts';
import { upstreamErrorEvent } from './upstream-error.ts';

const brokenOff: InferenceEvent = {
  type: 'error',
  code: 'stream-incomplete',
  message: 'The answer broke off: the provider ended the stream without saying that it was finished.',
  retryable: true,
  retryAfterMs: null,
};

/** The events of one model call, which begins when the first is requested. Only one request may be pending. */
export function modelEvents(
  open: () => Promise<ReadableStream<ModelStreamPart>>,
  { signal, onError = () => undefined }: InferenceCall,
): AsyncIterator<InferenceEvent, undefined> {
  let reader: ReadableStreamDefaultReader<ModelStreamPart> | null = null;
  let isOver = false;

  /** Also ends a stream that opens, or a read that is answered, only afterwards. */
  function close(): void {
    isOver = true;
    void reader?.cancel().catch(() => undefined);
  }

  const over: IteratorResult<InferenceEvent, undefined> = { done: true, value: undefined };

  return {
    async next() {
      try {
        if (reader === null && !isOver) {
          reader = (await open()).getReader();
          if (isOver) close();
        }
        while (reader !== null && !isOver) {
          const { done, value } = await reader.read();
          if (isOver) break;
          if (!done && value.type === 'error') onError(value.error);
          const event = done ? brokenOff : toInferenceEvent(value);
          if (event?.type === 'finish' || event?.type === 'error') close();
          if (event !== null) return { done: false, value: event };
        }
        return over;
      } catch (error) {
        const isLeft = isOver;
        close();
        if (signal.aborted) throw signal.reason;
        if (isLeft) return over;
        onError(error);
        return { done: false, value: upstreamErrorEvent(error) };
      }
    },
    async return() {
      close();
      return { done: true, value: undefined };
    },
  };
}
