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
  /** @param onWanted Called when nothing stands ready. */
  readonly read: (onWanted: () => void) => Promise<PartRead>;
};

/** An empty queue. */
export function createPartQueue(): PartQueue {
  const ready: PartRead[] = [];
  let failure: { readonly error: unknown } | null = null;
  let reader: {
    readonly resolve: (read: PartRead) => void;
    readonly reject: (error: unknown) => void;
  } | null = null;

  return {
    isWanted: () => reader !== null,
    give(read) {
      if (reader === null) return void ready.push(read);
      const { resolve } = reader;
      reader = null;
      resolve(read);
    },
    fail(error) {
      failure = { error };
      reader?.reject(error);
      reader = null;
    },
    read(onWanted) {
      const next = ready.shift();
      if (next !== undefined) return Promise.resolve(next);
      if (failure !== null) return Promise.reject(failure.error);
      return new Promise((resolve, reject) => {
        reader = { resolve, reject };
        onWanted();
      });
    },
  };
}
