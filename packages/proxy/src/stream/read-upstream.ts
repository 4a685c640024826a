import type { InferenceEvent } from '@vitrine/core';
import type { DirectIterator } from '@vitrine/core/ai-sdk';
import type { Room } from './room.ts';
import { streamErrors } from './stream-errors.ts';
import type { StreamLimits } from './stream-limits.ts';
import { watchSilence } from './watch-silence.ts';

/** Options of reading an upstream. */
export type UpstreamRead = {
  readonly limits: Pick<StreamLimits, 'firstEventMs' | 'idleMs'>;
  /** Aborts the read, also while an event is awaited. */
  readonly signal: AbortSignal;
  /** Awaited after every event. */
  readonly room: Pick<Room, 'free'>;
  /** Takes an event. Returns the event that ends the stream, or null when more may follow. */
  readonly take: (event: InferenceEvent) => InferenceEvent | null;
};

/**
 * Reads an upstream, event by event. Resolves with the event that ends the stream, which is an `upstream-timeout` when
 * the next event takes too long; with null when the upstream stops without one, or was aborted. Rejects when it fails.
 */
export function readUpstream(
  source: AsyncIterable<InferenceEvent>,
  how: UpstreamRead,
): Promise<InferenceEvent | null> {
  return new Promise((resolve, reject) => begin(source, how, resolve, reject));
}

function begin(
  source: AsyncIterable<InferenceEvent>,
  { limits, signal, room, take }: UpstreamRead,
  onEnd: (last: InferenceEvent | null) => void,
  onError: (error: unknown) => void,
): void {
  const iterator = source[Symbol.asyncIterator]();
  const next = nextOf(iterator);
  let isOver = false;
  let limit = limits.firstEventMs;
  let isReading = false;
  let readsAgain = false;

  const silence = watchSilence((limitMs) => end(take(streamErrors.silent(limitMs))));
  const onAbort = (): void => end(null);

  function leave(): void {
    isOver = true;
    silence.release();
    signal.removeEventListener('abort', onAbort);
    // Not awaited: a source that hangs must not delay the end.
    void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }

  function end(last: InferenceEvent | null): void {
    if (isOver) return;
    leave();
    onEnd(last);
  }

  function fail(error: unknown): void {
    if (isOver) return;
    leave();
    onError(error);
  }

  /** Reads in a loop, because asking for the next available event from within the last would grow the stack. */
  function read(): void {
    readsAgain = true;
    if (isReading) return;
    isReading = true;
    while (readsAgain && !isOver) {
      readsAgain = false;
      silence.begin(limit);
      next(onEvent, fail);
    }
    isReading = false;
  }

  function onEvent(event: InferenceEvent | null): void {
    silence.end();
    if (isOver) return;
    if (event === null) return end(null);
    limit = limits.idleMs;
    let last: InferenceEvent | null;
    try {
      last = take(event);
    } catch (error) {
      return fail(error);
    }
    if (last !== null) return end(last);
    const isFree = room.free();
    if (isFree === null) read();
    else void isFree.then(read);
  }

  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) end(null);
  else read();
}

type Next = DirectIterator<InferenceEvent>['nextDirect'];

/** Reads without a promise per event where the iterator supports that. */
function nextOf(iterator: AsyncIterator<InferenceEvent> | DirectIterator<InferenceEvent>): Next {
  if ('nextDirect' in iterator) return iterator.nextDirect;
  const next = async (): Promise<IteratorResult<InferenceEvent, unknown>> => iterator.next();
  return (onValue, onError) =>
    void next().then(({ done, value }) => onValue(done === true ? null : (value as InferenceEvent)), onError);
}
