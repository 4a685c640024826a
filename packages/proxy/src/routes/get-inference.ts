import type { Context, Handler } from 'hono';
import { anyone, type GuardEnv, type Principal } from '../guard/guard.ts';
import type { HeldBytes, Hold } from '../guard/held-bytes.ts';
import { type RequestLimits, withLimits } from '../guard/limits.ts';
import { type Problem, problems, refuse } from '../guard/problems.ts';
import type { FoundInference } from '../stream/inferences.ts';
import type { StreamEntry } from '../stream/stream-log.ts';
import type { ProxyContext } from './proxy-context.ts';

/** `GET /v1/inference/:id`: the events behind `Last-Event-ID`; 204 at the end, and 400 for an unknown event. */
export function getInference({ inferences, held, limits }: ProxyContext): Handler<GuardEnv> {
  return async (context) => {
    const id = context.req.param('id') ?? '';
    const principal = context.get('principal');
    const ownerId = principal.id;
    // A body that nobody reads would keep the inference running.
    if (context.req.method === 'HEAD') {
      const isThere = await inferences.has(id, ownerId);
      return isThere
        ? context.body(null, 200, eventStreamHeaders(id, 'HEAD'))
        : refuse(context, problems.unknownInference);
    }
    const after = context.req.header('last-event-id') ?? null;
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

/** The interval of pings in a quiet stream, so that no proxy in between closes it. */
const pingMs = 15_000;

const encoder = new TextEncoder();
const ping = encoder.encode(': ping\n\n');

/**
 * Answers with a stream as server-sent events and notes it in the log line. All available events come in one piece; an
 * `id:` is an offset. JSON has no raw line breaks, so no text becomes a field of its own. It begins with a ping, so that
 * the headers leave before the first event. The reader is closed with the stream, or when its client has left; its bytes
 * are held until then.
 */
export function servedStream(
  context: Context<GuardEnv>,
  { id, reader }: FoundInference,
  hold: Hold,
): Response {
  const { method, signal: client } = context.req.raw;
  let timer: ReturnType<typeof setInterval> | undefined;
  context.get('line').note({ id });

  function close(): void {
    clearInterval(timer);
    client.removeEventListener('abort', close);
    reader.cancel();
    hold.release();
  }

  const body = new ReadableStream<Uint8Array>(
    {
      start(out) {
        out.enqueue(ping);
        client.addEventListener('abort', close, { once: true });
        if (client.aborted) return close();
        // While a client stalls, at most one ping waits.
        timer = setInterval(() => {
          if (out.desiredSize === 0) out.enqueue(ping);
        }, pingMs);
      },
      async pull(out) {
        try {
          const entries = await reader.read();
          if (entries !== null) return out.enqueue(encoder.encode(textOf(entries)));
          close();
          out.close();
        } catch (error) {
          // The log is unreachable: a broken connection makes the client come back.
          close();
          throw error;
        }
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: eventStreamHeaders(id, method) });
}

function textOf(entries: readonly StreamEntry[]): string {
  let text = '';
  for (const { offset, data } of entries) text += `id: ${offset}\ndata: ${data}\n\n`;
  return text;
}

/** The headers of a stream, also for a HEAD request. */
function eventStreamHeaders(id: string, method: string): Record<string, string> {
  // Chromium shows a finished stream with `no-store` as cancelled. Caches keep no answers to POST, and the client asks
  // for the rest of a stream past the cache of its browser.
  const caching = method === 'HEAD' ? 'no-store' : 'private, no-cache';
  return {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': `${caching}, no-transform`,
    'x-accel-buffering': 'no',
    'x-inference-id': id,
  };
}
