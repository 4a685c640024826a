/** The value of a `Retry-After` header in milliseconds: seconds or a date (RFC 9110, 10.2.3). */
export function retryAfterMs(header: string | null | undefined, now: number = Date.now()): number | null {
  if (!header) return null;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/**
 * The wait that the headers of an answer request, in milliseconds: `retry-after-ms`, else `Retry-After`; null for
 * neither.
 */
export function retryAfterOf(header: (name: string) => string | null | undefined): number | null {
  const exact = header('retry-after-ms') || null;
  const ms = Number(exact);
  return exact !== null && Number.isFinite(ms) ? Math.max(0, ms) : retryAfterMs(header('retry-after'));
}
