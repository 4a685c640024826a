/**
 * About how many characters a JSON value has as text, without making the text. What is reached twice by reference
 * counts once.
 */
export function jsonSize(value: unknown, counted: Set<object> = new Set()): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 5;
  if (counted.has(value)) return 0;
  counted.add(value);
  let size = 2;
  if (Array.isArray(value)) {
    for (const entry of value) size += jsonSize(entry, counted) + 1;
    return size;
  }
  for (const key in value)
    size += key.length + 4 + jsonSize((value as Record<string, unknown>)[key], counted);
  return size;
}
