import { createHandover } from '../../direct-body.ts';
import type { Part } from './shortcut.ts';

/** What is read of a stream of parts. */
export type PartRead = ReadableStreamReadResult<Part>;

/** Parts on their way to one reader. */
export type PartQueue = {
  /** The reader waits for more. */
  readonly isWanted: () => boolean;
  readonly give: (read: PartRead) => void;
  /** Nothing comes behind what was given. */
  readonly fail: (error: unknown) => void;
  /** Calls one of them once, maybe before it returns. */
  readonly take: (onRead: (read: PartRead) => void, onError: (error: unknown) => void) => void;
};

/**
 * An empty queue.
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
