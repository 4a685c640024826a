import type { InferenceEvent } from '@vitrine/core';
import type { Room } from './room.ts';
import { streamErrors } from './stream-errors.ts';
import type { StreamLimits } from './stream-limits.ts';
import { watchSilence } from './watch-silence.ts';

/** What an upstream is read with. */
export type UpstreamRead = {
  readonly limits: Pick<StreamLimits, 'firstEventMs' | 'idleMs'>;
  /** Aborted when it is read no more, also while it is waited for. */
  readonly signal: AbortSignal;
  /** Waited for behind every event. */
  readonly room: Pick<Room, 'free'>;
  /** Takes an event; gives the one that ends the stream, null when more may come. */
  readonly take: (event: InferenceEvent) => InferenceEvent | null;
};

/**
 * Reads an upstream, event by event. Gives the one that ends the stream, which is an `upstream-timeout` when the next takes
 * too long; null when it just stops, or was aborted. It is given up on once for all events: a race for each of them would
 * cost more than the event.
 */
export async function readUpstream(
  source: AsyncIterable<InferenceEvent>,
  { limits, signal, room, take }: UpstreamRead,
): Promise<InferenceEvent | null> {
  const iterator = source[Symbol.asyncIterator]();
  let isOver = signal.aborted;
  let giveUp: (last: InferenceEvent | null) => void = () => undefined;
  const givenUp = new Promise<InferenceEvent | null>((resolve) => (giveUp = resolve));
  const onAbort = (): void => {
    isOver = true;
    giveUp(null);
  };
  const silence = watchSilence((limitMs) => {
    isOver = true;
    giveUp(take(streamErrors.silent(limitMs)));
  });

  async function read(): Promise<InferenceEvent | null> {
    for (let limit = limits.firstEventMs; !isOver; limit = limits.idleMs) {
      silence.begin(limit);
      const { done, value } = await iterator.next();
      silence.end();
      if (isOver || done === true) break;
      const last = take(value);
      if (last !== null) return last;
      const isFree = room.free();
      if (isFree !== null) await isFree;
    }
    return null;
  }

  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([read(), givenUp]);
  } finally {
    isOver = true;
    silence.release();
    signal.removeEventListener('abort', onAbort);
    // Not awaited: a source that hangs must not hold up the end.
    void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}
