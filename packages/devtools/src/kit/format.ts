import { redact } from '@vitrine/inspect';

/** Extra characters of a long text that are scanned for secrets, so that no secret is cut at the end of the preview. */
const looked = 4000;

/**
 * Shortens a value to one line, without secrets.
 * @param path The names that lead to the value, as far as known.
 */
export function preview(value: unknown, path: readonly string[], length = 80): string {
  const safe = redact(typeof value === 'string' ? value.slice(0, length + looked) : value, { path });
  const text = typeof safe === 'object' && safe !== null ? JSON.stringify(safe) : String(safe);
  const line = text.replace(/\s+/g, ' ');
  return line.length > length ? `${line.slice(0, length)}…` : line;
}
