import type { RequestLine } from '../operator/request-line.ts';
import type { ProxyModel } from '../providers/proxy-model.ts';
import { type Problem, problemResponse } from './problem.ts';

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
