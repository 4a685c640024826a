import type { Handler } from 'hono';
import type { GuardEnv } from '../guard/guard.ts';
import type { MetricsSource } from '../operator/metrics-source.ts';
import { problems } from '../problems/problems.ts';
import { refuse } from '../problems/refuse.ts';

/** `GET /metrics`: figures for who shows their token; there is nothing where the proxy was given none. */
export function getMetrics(metrics: MetricsSource | undefined): Handler<GuardEnv> {
  return async (context) => {
    if (!metrics) return refuse(context, problems.notFound);
    const answer = await metrics.answer(context.req.raw);
    // A copy: headers of an answer that was fetched cannot be set.
    return answer ? new Response(answer.body, answer) : refuse(context, problems.unauthorized);
  };
}
