import type { InferenceCall, InferenceEvent } from '../inference-client.ts';
import type { ModelStream, ModelStreamPart } from './language-model.ts';
import { toInferenceEvent } from './to-inference-event.ts';
import { upstreamErrorEvent } from './upstream-error.ts';

const brokenOff: InferenceEvent = {
  type: 'error',
  code: 'stream-incomplete',
  message: 'The answer broke off: the provider ended the stream without saying that it was finished.',
  retryable: true,
  retryAfterMs: null,
};

/**
 * The events of one call of a model, which begins with the first `next`. No generator: each of them that an event goes
 * through costs more than making the event.
 */
export function modelEvents(
  open: () => Promise<ModelStream<ModelStreamPart>>,
  { signal, onError = () => undefined }: InferenceCall,
): AsyncIterator<InferenceEvent, undefined> {
  let reader: ReturnType<ModelStream<ModelStreamPart>['getReader']> | null = null;
  let isOver = false;

  /** Also ends a stream that opens, or a read that is answered, only after it. */
  function close(): void {
    isOver = true;
    void reader?.cancel().catch(() => undefined);
  }

  async function next(): Promise<IteratorResult<InferenceEvent, undefined>> {
    try {
      while (!isOver) {
        reader ??= (await open()).getReader();
        if (isOver) close();
        const { done, value } = await reader.read();
        if (isOver) break;
        if (!done && value.type === 'error') onError(value.error);
        const event = done ? brokenOff : toInferenceEvent(value);
        if (event === null) continue;
        if (event.type === 'finish' || event.type === 'error') close();
        return { done: false, value: event };
      }
    } catch (error) {
      const isLeft = isOver;
      close();
      if (signal.aborted) throw signal.reason;
      if (!isLeft) {
        onError(error);
        return { done: false, value: upstreamErrorEvent(error) };
      }
    }
    return { done: true, value: undefined };
  }

  return {
    next,
    async return() {
      close();
      return { done: true, value: undefined };
    },
  };
}
