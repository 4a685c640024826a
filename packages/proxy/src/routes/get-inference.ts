import type { Context, Handler } from 'hono';
import { anyone, type GuardEnv, type Principal } from '../guard/guard.ts';
import { type RequestLimits, withLimits } from '../guard/limits.ts';
import { type Problem, problems, refuse } from '../guard/problems.ts';
import type { ProxyContext } from './proxy-context.ts';
import { eventStream, eventStreamHeaders } from '../stream/event-stream.ts';
import type { HeldBytes, Hold } from '../guard/held-bytes.ts';
import type { FoundInference } from '../stream/inferences.ts';

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

/** Bytes of a reader: a page of its stream and a connection. */
export const readerHeld = 64 * 1024;

export function takeBytes(
  held: HeldBytes,
  principal: Principal,
  bytes: number,
  { heldBytes }: Pick<RequestLimits, 'heldBytes'>,
): Hold | { readonly problem: Problem } {
  // Without a sign-in one principal stands for everybody. The largest body fits beside its reader.
  const ownMost = principal === anyone ? Infinity : heldBytes + readerHeld;
  const hold = held.take(principal.id, bytes, ownMost);
  if (hold === 'own') return { problem: problems.tooManyBytes };
  return hold === 'all' ? { problem: problems.serverBusy } : hold;
}

/** Answers with a stream and notes it in the log line. The bytes of its reader are held until it leaves. */
export function servedStream(
  context: Context<GuardEnv>,
  { id, reader }: FoundInference,
  hold: Hold,
): Response {
  context.get('line').note({ id });
  const cancel = (): void => {
    reader.cancel();
    hold.release();
  };
  return eventStream(id, { ...reader, cancel }, context.req.raw);
}
