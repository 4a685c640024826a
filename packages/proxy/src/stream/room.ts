/** How far a writer may be ahead of those who read, so that a reader who stalls is felt by the upstream. */
export type Room = {
  /** Another entry of this size. */
  readonly add: (size: number) => void;
  /** Somebody has taken the entries up to this index. */
  readonly take: (index: number) => void;
  /** Whether it counts at all; it does not while somebody reads whose progress is not known here. */
  readonly bound: (isBound: boolean) => void;
  /** Settles when the foremost reader is near enough, or the room was opened; null when there is nothing to wait for. */
  readonly free: () => Promise<void> | null;
  /** Nobody has to wait any more. */
  readonly open: () => void;
};

/** @param most How much may be ahead of the foremost reader. */
export function createRoom(most: number): Room {
  /** Of the entries that nobody has taken, and the index of the first of them. */
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
