/** An error before the stream, as `application/problem+json` (RFC 9457). */
export type Problem = {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
  readonly retryable?: boolean;
  readonly retryAfterMs?: number | null;
};

export function problemResponse(problem: Problem): Response {
  const { status, code, title, detail, retryable = false, retryAfterMs = null } = problem;
  const headers: Record<string, string> = {
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
  };
  if (retryAfterMs !== null) headers['retry-after'] = String(Math.ceil(retryAfterMs / 1000));
  return new Response(JSON.stringify({ type: 'about:blank', title, status, detail, code, retryable }), {
    status,
    headers,
  });
}

const statusOfCode: Readonly<Record<string, { status: number; title: string }>> = {
  'upstream-rate-limited': { status: 429, title: 'Too many requests' },
  'upstream-timeout': { status: 504, title: 'Upstream timeout' },
  'upstream-invalid-request': { status: 400, title: 'Request refused by the model provider' },
};

/** The problem that an upstream's error is to the client. */
export function upstreamProblem(error: {
  code: string;
  message: string;
  retryable: boolean;
  retryAfterMs: number | null;
}): Problem {
  const { status, title } = statusOfCode[error.code] ?? { status: 502, title: 'Upstream error' };
  const { code, message: detail, retryable, retryAfterMs } = error;
  return { status, title, code, detail, retryable, retryAfterMs };
}
