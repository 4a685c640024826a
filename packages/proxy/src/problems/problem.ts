import type { RequestLine } from '../operator/request-line.ts';
import type { ProxyModel } from '../providers/proxy-model.ts';

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
function problemResponse(problem: Problem, requestId: string): Response {
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

/** Known facts about a failed request besides its problem. */
export type RefusalFacts = { readonly id?: string; readonly model?: ProxyModel; readonly cause?: string };

/** Answers with a problem and notes it in the log line of the request. */
export function refuse(
  context: { readonly get: (name: 'line') => RequestLine },
  problem: Problem,
  facts: RefusalFacts = {},
): Response {
  const line = context.get('line');
  line.note({ ...facts, code: problem.code });
  return problemResponse(problem, line.requestId);
}
