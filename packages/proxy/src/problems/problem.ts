/** An error before the stream, as `application/problem+json` (RFC 9457). */
export type Problem = {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly retryable?: boolean;
  readonly retryAfterMs?: number | null;
  /** Further members of the answer, by name. */
  readonly members?: Readonly<Record<string, string | number>>;
};

/** The HTTP answer of a problem; `requestId` is the id in the log. */
export function problemResponse(problem: Problem, requestId: string): Response {
  const { status, code, title, detail, retryable = false, retryAfterMs = null, members = {} } = problem;
  const headers: Record<string, string> = {
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
  };
  if (retryAfterMs !== null) {
    headers['retry-after'] = String(Math.ceil(retryAfterMs / 1000));
    headers['retry-after-ms'] = String(Math.ceil(retryAfterMs));
  }
  const body = { type: 'about:blank', title, status, detail, code, retryable, requestId, ...members };
  return new Response(JSON.stringify(body), { status, headers });
}
