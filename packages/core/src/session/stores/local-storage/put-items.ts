/**
 * Puts items in order. When one of them cannot be put because the storage is full, the earlier ones are
 * undone.
 * @throws the error of the storage.
 */
export function putItems(storage: Storage, items: readonly (readonly [key: string, text: string])[]): void {
  const before: (readonly [string, string | null])[] = [];
  try {
    for (const [key, text] of items) {
      const old = storage.getItem(key);
      if (old === text) continue;
      before.push([key, old]);
      storage.setItem(key, text);
    }
  } catch (thrown) {
    takeBack(storage, before.toReversed());
    throw thrown;
  }
}

function takeBack(storage: Storage, items: readonly (readonly [string, string | null])[]): void {
  try {
    for (const [key, text] of items) {
      if (text === null) storage.removeItem(key);
      else storage.setItem(key, text);
    }
  } catch {
    // The remaining keys have no pointer and go with the next write.
  }
}
