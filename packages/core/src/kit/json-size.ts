import { work } from './work.ts';

/**
 * Approximate number of characters of a JSON value as text, found without making the text. A value referenced twice
 * counts once.
 */
export function jsonSize(value: unknown, counted: Set<object> = new Set()): number {
  let size = 0;
  const open = [value];
  while (open.length > 0) {
    work.units++;
    const next = open.pop();
    if (typeof next === 'string') size += next.length + 2;
    else if (typeof next !== 'object' || next === null) size += 5;
    else if (!counted.has(next)) {
      counted.add(next);
      size += 2;
      if (Array.isArray(next)) {
        size += next.length;
        for (const entry of next) open.push(entry);
      } else
        for (const key in next) {
          size += key.length + 4;
          open.push((next as Record<string, unknown>)[key]);
        }
    }
  }
  return size;
}
