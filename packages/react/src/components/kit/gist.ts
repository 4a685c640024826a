/** A JSON value as text for people; null if it is nested too deeply to be written. */
export function jsonText(value: unknown): string | null {
  try {
    return JSON.stringify(value, null, 2) ?? '';
  } catch {
    return null;
  }
}

const longest = 90;

/** A short text of a value on one line: a string itself, the only field of an object, or names and values. */
export function gist(value: unknown): string {
  const text = shortOf(value, 0).replaceAll(/\s+/g, ' ').trim();
  const letters = Array.from(text.slice(0, 4 * longest));
  return letters.length <= longest ? text : `${letters.slice(0, longest - 1).join('')}…`;
}

function shortOf(value: unknown, depth: number): string {
  if (typeof value === 'string') return value.slice(0, 4 * longest);
  if (value === null || value === undefined) return depth === 0 ? '' : 'null';
  if (typeof value !== 'object') return String(value);
  if (depth > 2) return '…';
  const list = (items: readonly string[]): string =>
    depth === 0 ? items.join(', ') : `(${items.join(', ')})`;
  if (Array.isArray(value)) return list(value.slice(0, 8).map((item) => shortOf(item, depth + 1)));
  const entries = Object.entries(value);
  const [first] = entries;
  if (entries.length === 1 && depth === 0 && first) return shortOf(first[1], 1);
  return list(entries.slice(0, 8).map(([name, item]) => `${name}: ${shortOf(item, depth + 1)}`));
}
