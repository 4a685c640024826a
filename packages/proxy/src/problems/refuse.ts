import type { RequestLine } from '../operator/request-line.ts';
import type { ProxyModel } from '../providers/proxy-model.ts';
import { type Problem, problemResponse } from './problem.ts';

/** What is known of a request that fails besides the problem. */
export type RefusalFacts = { readonly id?: string; readonly model?: ProxyModel; readonly cause?: string };

/** The answer that is a problem, noted in the line of its request. */
export function refuse(
  context: { readonly get: (name: 'line') => RequestLine },
  problem: Problem,
  facts: RefusalFacts = {},
): Response {
  const line = context.get('line');
  line.note({ ...facts, code: problem.code });
  return problemResponse(problem, line.requestId);
}
