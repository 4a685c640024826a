import type { Handler } from 'hono';
import type { GuardEnv } from '../guard/guard.ts';
import { problems, refuse } from '../guard/problems.ts';
import type { ProxyContext } from './proxy-context.ts';
import type { MetricsSource } from '../operator/request-line.ts';

/** The longest wait for the log of streams, in milliseconds. */
const readyMs = 1000;

/** `GET /readyz`: 503 while the proxy shuts down, or when its log does not answer. It asks no provider. */
export function getReadiness({ inferences }: ProxyContext): Handler<GuardEnv> {
  return async (context) => {
    if (inferences.running.isClosing) return refuse(context, problems.shuttingDown);
    const isReachable = await inferences.isLogReachable(readyMs);
    return isReachable ? context.json({ status: 'ready' }) : refuse(context, problems.streamLogUnreachable);
  };
}

/** `GET /healthz`: reports that the proxy runs, without asking a provider. */
export const getHealth: Handler = (context) => context.json({ status: 'ok' });

/** `GET /metrics`: metrics for a request with the token; 404 when the proxy has no metrics. */
export function getMetrics(metrics: MetricsSource | undefined): Handler<GuardEnv> {
  return async (context) => {
    if (!metrics) return refuse(context, problems.notFound);
    const answer = await metrics.answer(context.req.raw);
    // A copy, because the headers of a fetched answer are immutable.
    return answer ? new Response(answer.body, answer) : refuse(context, problems.unauthorized);
  };
}
