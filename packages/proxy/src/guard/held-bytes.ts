/** Bytes that a request or a reader reserves until they are released. */
export type Hold = {
  /** Changes the reservation to this many bytes; false, changing nothing, when there is no room. */
  readonly resize: (bytes: number) => boolean;
  /** Releases the bytes. May be called twice. */
  readonly release: () => void;
};

/** The bytes that all requests and readers of a process reserve. */
export type HeldBytes = ReturnType<typeof createHeldBytes>;

/** The least that a request reserves, for its connection and its data. */
export const leastHeld = 16 * 1024;

/** @param most Bytes of all principals together. */
export function createHeldBytes(most: number) {
  const own = new Map<string, number>();
  let all = 0;

  function change(key: string, bytes: number): void {
    all += bytes;
    const now = (own.get(key) ?? 0) + bytes;
    if (now > 0) own.set(key, now);
    else own.delete(key);
  }

  return {
    /** Reserves bytes for a principal. When there is no room, returns the bound that was reached. */
    take(key: string, bytes: number, ownMost: number): Hold | 'own' | 'all' {
      let held = 0;

      function resize(size: number): 'own' | 'all' | null {
        const more = size - held;
        if (more > 0 && (own.get(key) ?? 0) + more > ownMost) return 'own';
        if (more > 0 && all + more > most) return 'all';
        change(key, more);
        held = size;
        return null;
      }

      const full = resize(Math.max(leastHeld, bytes));
      return (
        full ?? {
          resize: (size) => resize(Math.max(leastHeld, size)) === null,
          release: () => void resize(0),
        }
      );
    },
  };
}
