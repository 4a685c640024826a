import type { Handler } from 'hono';
import type { GuardEnv } from '../guard/guard.ts';
import type { MetricsSource } from '../operator/metrics-source.ts';
import { problems } from '../problems/problems.ts';
import { refuse } from '../problems/refuse.ts';

/** `GET /metrics`: metrics for a request with the token; 404 when the proxy has no metrics. */
export function getMetrics(metrics: MetricsSource | undefined): Handler<GuardEnv> {
  return async (context) => {
    if (!metrics) return refuse(context, problems.notFound);
    const answer = await metrics.answer(context.req.raw);
    // A copy, because the headers of a fetched answer are immutable.
    return answer ? new Response(answer.body, answer) : refuse(context, problems.unauthorized);
  };
}
