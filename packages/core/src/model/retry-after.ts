/** The value of a `Retry-After` header in milliseconds: seconds or a date (RFC 9110, 10.2.3). */
export function retryAfterMs(header: string | null | undefined, now: number = Date.now()): number | null {
  if (!header) return null;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** Gemini's `"retryDelay": "34.07s"`, and the sentences of Groq and OpenAI: "Please try again in 1m30.5s". */
const waitInText =
  /(?:"retryDelay"\s{0,4}:\s{0,4}"|(?:try again|retry) (?:in|after) )((?:\d{1,9}(?:\.\d{1,12})?(?:ms|h|m|s)){1,4})/i;
const unitMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** The wait that the body of an error requests, in milliseconds; null for none. */
export function retryAfterIn(body: string): number | null {
  const [, wait] = waitInText.exec(body) ?? [];
  if (wait === undefined) return null;
  const pieces = wait.toLowerCase().matchAll(/([\d.]{1,22})(ms|h|m|s)/g);
  return [...pieces].reduce((sum, [, count, unit = '']) => sum + Number(count) * (unitMs[unit] ?? 0), 0);
}

/** The wait that the headers of an answer request, in milliseconds; null for none. */
export function retryAfterOf(header: (name: string) => string | null | undefined): number | null {
  const exact = header('retry-after-ms') || null;
  const ms = Number(exact);
  return exact !== null && Number.isFinite(ms) ? Math.max(0, ms) : retryAfterMs(header('retry-after'));
}
