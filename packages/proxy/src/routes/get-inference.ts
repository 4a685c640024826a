import type { Handler } from 'hono';
import type { GuardEnv } from '../guard/guard.ts';
import { withLimits } from '../guard/limits.ts';
import { problems, refuse } from '../guard/problems.ts';
import type { ProxyContext } from './proxy-context.ts';
import { eventStreamHeaders } from '../stream/event-stream.ts';
import { readerHeld, servedStream, takeBytes } from './served-stream.ts';

/** `GET /v1/inference/:id`: the events behind `Last-Event-ID`; 204 at the end, and 400 for an unknown event. */
export function getInference({ inferences, held, limits }: ProxyContext): Handler<GuardEnv> {
  return async (context) => {
    const id = context.req.param('id') ?? '';
    const ownerId = context.get('principal').id;
    // A body that nobody reads would keep the inference running.
    if (context.req.method === 'HEAD') {
      const isThere = await inferences.has(id, ownerId);
      return isThere
        ? context.body(null, 200, eventStreamHeaders(id, 'HEAD'))
        : refuse(context, problems.unknownInference);
    }
    const after = context.req.header('last-event-id') ?? null;
    const principal = context.get('principal');
    const hold = takeBytes(held, principal, readerHeld, withLimits(principal.limits, limits));
    if ('problem' in hold) return refuse(context, hold.problem, { id });
    let isServed = false;
    try {
      const reader = await inferences.open(id, { ownerId, after });
      if (reader === 'unknown') return refuse(context, problems.unknownInference);
      if (reader === 'offset-invalid') return refuse(context, problems.invalidOffset, { id });
      context.get('line').note({ id });
      if (reader === 'at-end') return context.body(null, 204);
      isServed = true;
      return servedStream(context, { id, reader }, hold);
    } finally {
      if (!isServed) hold.release();
    }
  };
}

/** `DELETE /v1/inference/:id`: ends a stream for all who read it, by an event `stream-cancelled`. */
export function deleteInference({ inferences }: ProxyContext): Handler<GuardEnv> {
  return async (context) => {
    const id = context.req.param('id') ?? '';
    const isThere = await inferences.cancel(id, context.get('principal').id);
    if (isThere) context.get('line').note({ id });
    return isThere ? context.body(null, 204) : refuse(context, problems.unknownInference);
  };
}
