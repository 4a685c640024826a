/**
 * Puts items in order. When one of them cannot be put (the storage is full), those before it are taken back.
 * @throws what the storage throws.
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
    // What is left is named by nothing, and goes with the next write.
  }
}
