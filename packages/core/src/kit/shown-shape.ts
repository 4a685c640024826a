/** What was given, for a sentence of an error, without repeating what may be long or private. */
export function shownShape(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 40));
  return Array.isArray(value) ? 'a list' : value === null ? 'null' : typeof value;
}
