import type { MiddlewareHandler } from 'hono';
import { problems } from '../problems/problems.ts';
import { refuse } from '../problems/problem.ts';
import type { GuardEnv } from './guard.ts';
import { withLimits } from './limits.ts';
import { anyone, type Authorize, type Principal } from './principal.ts';

/**
 * Identifies the principal for the routes behind it and answers 401 when there is none. A sign-in that throws, or
 * returns anything but a principal, lets nobody in.
 */
export function authenticate(authorize: Authorize = () => anyone): MiddlewareHandler<GuardEnv> {
  return async (context, next) => {
    let principal: Principal | null;
    try {
      principal = await authorize(context.req.raw);
    } catch {
      // The error may contain the token, so it is not reported.
      return refuse(context, problems.authorizeFailed);
    }
    if (principal === null) return refuse(context, problems.unauthorized);
    if (!isPrincipal(principal)) return refuse(context, problems.authorizeInvalid);
    context.set('principal', principal);
    context.get('line').note({ principal: principal.id });
    return next();
  };
}

function isPrincipal(value: unknown): value is Principal {
  if (typeof value !== 'object' || value === null) return false;
  const { id, models, limits } = value as Record<keyof Principal, unknown>;
  return (
    typeof id === 'string' &&
    id !== '' &&
    (models === undefined || Array.isArray(models)) &&
    areLimits(limits)
  );
}

function areLimits(limits: unknown): boolean {
  if (limits === undefined) return true;
  try {
    return limits !== null && withLimits(limits) !== null;
  } catch {
    return false;
  }
}
