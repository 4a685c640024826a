/** A JSON value as text for people; null where it is nested deeper than can be written. */
export function jsonText(value: unknown): string | null {
  try {
    return JSON.stringify(value, null, 2) ?? '';
  } catch {
    return null;
  }
}
