/** Describes a value for an error message, without repeating long or private content. */
export function shownShape(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 40));
  return Array.isArray(value) ? 'a list' : value === null ? 'null' : typeof value;
}
