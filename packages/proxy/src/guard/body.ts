import type { InferenceRequest } from '@vitrine/core';
import type { MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Problem } from '../problems/problem.ts';
import { problems } from '../problems/problems.ts';
import type { ProxyContext } from '../proxy-context.ts';
import { parseRequest } from './request-schema.ts';

const mebibyte = 1024 * 1024;

/** Refuses a body that is too large, by what it says of itself and by what comes. Default: 1 MiB. */
export function limitBody({ refuse }: ProxyContext, maxBytes = mebibyte): MiddlewareHandler {
  return bodyLimit({ maxSize: maxBytes, onError: () => refuse(problems.tooLarge) });
}

/** The inference that a body asks for, or what is wrong with it. */
export async function readBody(
  request: Request,
): Promise<{ readonly request: InferenceRequest } | { readonly problem: Problem }> {
  if (!/^application\/json\b/i.test(request.headers.get('content-type') ?? ''))
    return { problem: problems.notJsonType };
  const body: unknown = await request.json().catch(() => undefined);
  if (body === undefined) return { problem: problems.notJson };
  const parsed = parseRequest(body);
  return 'issue' in parsed ? { problem: problems.invalid(parsed.issue) } : parsed;
}
