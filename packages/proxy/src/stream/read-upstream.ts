import type { InferenceEvent } from '@vitrine/core';
import { streamErrors } from './stream-errors.ts';
import type { StreamLimits } from './stream-limits.ts';

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
export async function readUpstream(
  source: AsyncIterable<InferenceEvent>,
  { limits, signal, room, take }: UpstreamRead,
): Promise<InferenceEvent | null> {
  const iterator = source[Symbol.asyncIterator]();
  let cut: (last: InferenceEvent | null) => void = () => undefined;
  const cutShort = new Promise<InferenceEvent | null>((resolve) => (cut = resolve));
  const silence = watchSilence((limitMs) => end(take(streamErrors.silent(limitMs))));
  const onAbort = (): void => end(null);
  let isOver = signal.aborted;

  /** Nothing is requested after this, also not before the promise has settled: a source may not notice its abort then. */
  function end(last: InferenceEvent | null): void {
    isOver = true;
    cut(last);
  }

  async function readAll(): Promise<InferenceEvent | null> {
    let limit = limits.firstEventMs;
    while (!isOver) {
      silence.begin(limit);
      const { done, value } = await iterator.next();
      silence.end();
      if (isOver || done) break;
      limit = limits.idleMs;
      const last = take(value);
      if (last !== null) return last;
      const free = room.free();
      if (free !== null) await free;
    }
    return null;
  }

  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([cutShort, readAll()]);
  } finally {
    isOver = true;
    silence.release();
    signal.removeEventListener('abort', onAbort);
    // Not awaited: a source that hangs must not delay the end.
    void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}

/** Reports, once, a wait that takes too long. One timer serves all waits: one for each costs as much as an event. */
function watchSilence(onSilent: (limitMs: number) => void) {
  let since: number | null = null;
  let limit = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function look(): void {
    const left = since === null ? limit : since + limit - performance.now();
    if (left > 0) timer = setTimeout(look, left);
    else onSilent(limit);
  }

  return {
    /** Begins a wait, which may take this many milliseconds. */
    begin(limitMs: number): void {
      since = performance.now();
      if (limitMs === limit) return;
      limit = limitMs;
      clearTimeout(timer);
      timer = setTimeout(look, limit);
    },
    end: (): void => void (since = null),
    release: (): void => clearTimeout(timer),
  };
}

/** Limits how far a writer may be ahead of the readers, so that a stalled reader slows the upstream. */
type Room = ReturnType<typeof createRoom>;

/** @param most How much may be ahead of the foremost reader. */
export function createRoom(most: number) {
  /** Sizes of the entries that nobody has taken, and the index of the first of them. */
  const sizes: number[] = [];
  let first = 0;
  let ahead = 0;
  let isBound = true;
  let isOpen = false;
  let wake: (() => void) | null = null;

  const isFree = (): boolean => isOpen || !isBound || ahead <= most;
  const look = (): void => {
    if (!isFree()) return;
    wake?.();
    wake = null;
  };

  return {
    add(size: number): void {
      sizes.push(size);
      ahead += size;
    },
    take(index: number): void {
      for (; first <= index && sizes.length > 0; first++) ahead -= sizes.shift() ?? 0;
      look();
    },
    /** Switches the limit on or off; it is off while somebody reads whose progress is not known here. */
    bound(value: boolean): void {
      isBound = value;
      look();
    },
    /** Settles when the foremost reader is near enough, or the limit was lifted; null for nothing to wait for. */
    free: (): Promise<void> | null => (isFree() ? null : new Promise((resolve) => (wake = resolve))),
    /** Lifts the limit for ever. */
    open(): void {
      isOpen = true;
      look();
    },
  };
}
