/** The path of the first thing that JSON cannot hold (`''` for the value itself), or null when all of it is JSON. */
export function notJsonPath(value: unknown, path = '', above: readonly object[] = []): string | null {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return null;
  if (typeof value === 'number') return Number.isFinite(value) ? null : path;
  if (typeof value !== 'object' || above.includes(value)) return path;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) return path;
  for (const [key, child] of Object.entries(value)) {
    const found = notJsonPath(child, path === '' ? key : `${path}.${key}`, [...above, value]);
    if (found !== null) return found;
  }
  return null;
}
