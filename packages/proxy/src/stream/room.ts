/** Limits how far a writer may be ahead of the readers, so that a stalled reader slows the upstream. */
export type Room = {
  /** Adds an entry of this size. */
  readonly add: (size: number) => void;
  /** Marks the entries up to this index as taken. */
  readonly take: (index: number) => void;
  /** Switches the limit on or off; it is off while somebody reads whose progress is not known here. */
  readonly bound: (isBound: boolean) => void;
  /**
   * Settles when the foremost reader is near enough, or the limit was lifted; null when there is nothing to wait for.
   */
  readonly free: () => Promise<void> | null;
  /** Lifts the limit for ever. */
  readonly open: () => void;
};

/** @param most How much may be ahead of the foremost reader. */
export function createRoom(most: number): Room {
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
    add(size) {
      sizes.push(size);
      ahead += size;
    },
    take(index) {
      for (; first <= index && sizes.length > 0; first++) ahead -= sizes.shift() ?? 0;
      look();
    },
    bound(value) {
      isBound = value;
      look();
    },
    free: () => (isFree() ? null : new Promise((resolve) => (wake = resolve))),
    open() {
      isOpen = true;
      look();
    },
  };
}
