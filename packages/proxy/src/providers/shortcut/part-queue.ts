import { createHandover } from '../../kit/direct-body.ts';
import type { Part } from './shortcut.ts';

/** The result of reading a stream of parts. */
export type PartRead = ReadableStreamReadResult<Part>;

/** A queue of parts for one reader. */
export type PartQueue = {
  /** True while the reader waits for more. */
  readonly isWanted: () => boolean;
  readonly give: (read: PartRead) => void;
  /** Ends the queue with an error after the parts that were given. */
  readonly fail: (error: unknown) => void;
  /** Calls one of the functions once, maybe before it returns. */
  readonly take: (onRead: (read: PartRead) => void, onError: (error: unknown) => void) => void;
};

/**
 * Creates an empty queue.
 * @param onWanted Called when nothing stands ready.
 */
export function createPartQueue(onWanted: () => void): PartQueue {
  const ready: PartRead[] = [];
  const handover = createHandover<PartRead>();
  let failure: { readonly error: unknown } | null = null;

  return {
    isWanted: handover.isWaiting,
    give(read) {
      if (handover.isWaiting()) handover.give(read);
      else ready.push(read);
    },
    fail(error) {
      failure = { error };
      handover.fail(error);
    },
    take(onRead, onError) {
      const next = ready.shift();
      if (next !== undefined) return onRead(next);
      if (failure !== null) return onError(failure.error);
      handover.wait(onRead, onError);
      onWanted();
    },
  };
}
