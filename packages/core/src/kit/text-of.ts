/** The text itself, `''` for everything else: for fields of values that somebody else made. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The text itself, null for everything else. */
export function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
