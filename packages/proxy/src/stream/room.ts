/** How far a writer may be ahead of those who read, so that a reader who stalls is felt by the upstream. */
export type Room = {
  /** Another entry of this size. */
  readonly add: (size: number) => void;
  /** Somebody has taken the entries up to this index. */
  readonly take: (index: number) => void;
  /** Whether it counts at all; it does not while somebody reads whose progress is not known here. */
  readonly bound: (isBound: boolean) => void;
  /** Settles when the foremost reader is near enough, or the room was opened. */
  readonly free: () => Promise<void>;
  /** Nobody has to wait any more. */
  readonly open: () => void;
};

/** @param most How much may be ahead of the foremost reader. */
export function createRoom(most: number): Room {
  const sizes = new Map<number, number>();
  let added = 0;
  let taken = 0;
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
      sizes.set(added++, size);
      ahead += size;
    },
    take(index) {
      for (; taken <= index; taken++) {
        ahead -= sizes.get(taken) ?? 0;
        sizes.delete(taken);
      }
      look();
    },
    bound(value) {
      isBound = value;
      look();
    },
    free: () => (isFree() ? Promise.resolve() : new Promise((resolve) => (wake = resolve))),
    open() {
      isOpen = true;
      look();
    },
  };
}
