import type { Problem } from './problem.ts';

const statusOfCode: Readonly<Record<string, { status: number; title: string }>> = {
  'upstream-rate-limited': { status: 429, title: 'Too many requests' },
  'upstream-timeout': { status: 504, title: 'Upstream timeout' },
  'request-not-supported': { status: 422, title: 'Request not supported by the model' },
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
