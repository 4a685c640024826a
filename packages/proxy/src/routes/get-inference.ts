import type { Handler } from 'hono';
import type { GuardEnv } from '../guard/guard.ts';
import { problems } from '../problems/problems.ts';
import type { ProxyContext } from '../proxy-context.ts';
import { eventStream, eventStreamHeaders } from '../stream/event-stream.ts';

/** `GET /v1/inference/:id`: the events behind `Last-Event-ID`, of a stream that runs or has just ended. */
export function getInference({ inferences, refuse }: ProxyContext): Handler<GuardEnv> {
  return (context) => {
    const inference = inferences.get(context.req.param('id') ?? '', context.get('principal').id);
    if (!inference) return refuse(problems.unknownInference);
    // A body that nobody reads would keep the inference running for a reader that is none.
    if (context.req.method === 'HEAD') return context.body(null, 200, eventStreamHeaders(inference.id));
    const last = context.req.header('last-event-id');
    const offset = last === undefined || !/^\d{1,9}$/.test(last) ? 0 : Number(last) + 1;
    return eventStream(inference.id, inference.open(offset, context.req.raw.signal));
  };
}
