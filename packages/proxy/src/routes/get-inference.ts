import type { Handler } from 'hono';
import type { GuardEnv } from '../guard/guard.ts';
import { problems } from '../problems/problems.ts';
import { refuse } from '../problems/refuse.ts';
import type { ProxyContext } from '../proxy-context.ts';
import { eventStream, eventStreamHeaders } from '../stream/event-stream.ts';

/**
 * `GET /v1/inference/:id`: the events behind `Last-Event-ID`, of a stream that runs or has just ended; 204 when it has
 * ended and nothing stands behind that, 400 for an id that no event has.
 */
export function getInference({ inferences }: ProxyContext): Handler<GuardEnv> {
  return async (context) => {
    const id = context.req.param('id') ?? '';
    const ownerId = context.get('principal').id;
    // A body that nobody reads would keep the inference running for a reader that is none.
    if (context.req.method === 'HEAD') {
      const isThere = await inferences.has(id, ownerId);
      return isThere
        ? context.body(null, 200, eventStreamHeaders(id))
        : refuse(context, problems.unknownInference);
    }
    const after = context.req.header('last-event-id') ?? null;
    const reader = await inferences.open(id, { ownerId, after });
    if (reader === 'unknown') return refuse(context, problems.unknownInference);
    if (reader === 'offset-invalid') return refuse(context, problems.invalidOffset, { id });
    context.get('line').note({ id });
    if (reader === 'at-end') return context.body(null, 204);
    return eventStream(id, reader, context.req.raw.signal);
  };
}
