import type { Handler } from 'hono';
import type { GuardEnv } from '../guard/guard.ts';
import { problems } from '../problems/problems.ts';
import { refuse } from '../problems/refuse.ts';
import type { ProxyContext } from './proxy-context.ts';

/** The longest wait for the log of streams, in milliseconds. */
const readyMs = 1000;

/**
 * `GET /readyz`: tells a balancer whether to send calls here. Answers 503 while the proxy shuts down, or when its log
 * of streams does not answer within a second. It asks no provider.
 */
export function getReadiness({ inferences }: ProxyContext): Handler<GuardEnv> {
  return async (context) => {
    if (inferences.isClosing()) return refuse(context, problems.shuttingDown);
    const isReachable = await inferences.isLogReachable(readyMs);
    return isReachable ? context.json({ status: 'ready' }) : refuse(context, problems.streamLogUnreachable);
  };
}
