import type { Handler } from 'hono';
import { admit } from '../guard/admit.ts';
import type { GuardEnv } from '../guard/guard.ts';
import { problems } from '../problems/problems.ts';
import { upstreamProblem } from '../problems/upstream-problem.ts';
import type { ProxyContext } from '../proxy-context.ts';
import { eventStream } from '../stream/event-stream.ts';

/** `POST /v1/inference`: asks a model, and answers with its events as they come. */
export function postInference(proxy: ProxyContext): Handler<GuardEnv> {
  const { inferences, log, refuse } = proxy;
  return async (context) => {
    const startedAt = Date.now();
    const principal = context.get('principal');
    const admitted = await admit(context.req.raw, principal, proxy);
    if ('problem' in admitted) return refuse(admitted.problem, { startedAt });
    const { client, model, request } = admitted;

    let isStreaming = false;
    const inference = inferences.start({
      client,
      request,
      ownerId: principal.id,
      onOver(last) {
        admitted.settle(last?.type === 'error');
        // A stream that has begun has its status already; that it failed afterwards is still worth a line.
        if (isStreaming && last?.type === 'error') {
          const ms = Date.now() - startedAt;
          log({ id: inference.id, code: last.code, status: 200, model: model.id, ms });
        }
      },
    });
    const reader = inference.open(0, context.req.raw.signal);
    // Held back until the first event, so that a failing upstream can still be answered with a status.
    const first = await inference.first();
    if (first !== null && first.type !== 'error') {
      isStreaming = true;
      return eventStream(inference.id, reader);
    }
    reader.close();
    const problem = first === null ? problems.cancelled : upstreamProblem(first);
    return refuse(problem, { startedAt, id: inference.id, model: model.id });
  };
}
