/** The text itself, or `''` for other values; for fields of foreign objects. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The text itself, or null for other values. */
export function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
