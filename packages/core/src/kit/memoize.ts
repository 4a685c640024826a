/**
 * Memoises a function of one object. An accessor that builds a new array or object becomes a stable selector (same
 * state, same reference), without keeping the object in memory.
 */
export function memoize<Key extends object, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const cache = new WeakMap<Key, { value: Value }>();
  return (key) => {
    const hit = cache.get(key);
    if (hit) return hit.value;
    const value = compute(key);
    cache.set(key, { value });
    return value;
  };
}
