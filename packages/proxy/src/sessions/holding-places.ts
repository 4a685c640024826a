import type { MiddlewareHandler } from 'hono';
import { refuse } from '../problems/problem.ts';
import { sessionProblems } from './session-problems.ts';
import type { SessionsContext, SessionsEnv } from './sessions-context.ts';

/** The longest wait for a client to take the next part of an answer, in milliseconds. */
const stalledMs = 60_000;

/** Reserves the bytes of a body before it is read, until the request is answered. */
export function holdingBody({ bodies, limits }: SessionsContext): MiddlewareHandler<SessionsEnv> {
  return async (context, next) => {
    const { headers, signal } = context.req.raw;
    const most = Math.max(limits.bodyBytes, limits.fileBytes);
    const said = Number(headers.get('content-length') ?? Number.NaN);
    const amount = Number.isFinite(said) ? Math.min(said, most) : most;
    const free = await bodies.take(context.get('principal').id, amount, signal);
    if (free === null) return refuse(context, sessionProblems.busy);
    try {
      return await next();
    } finally {
      free();
    }
  };
}

/** Holds a place until the answer has been sent, or its client has left or stalled for a minute. */
export function holdingPlace({ reads }: SessionsContext): MiddlewareHandler<SessionsEnv> {
  return async (context, next) => {
    const free = await reads.take(context.get('principal').id, 1, context.req.raw.signal);
    if (free === null) return refuse(context, sessionProblems.busy);
    try {
      await next();
      const { body } = context.res;
      if (body === null) free();
      else context.res = new Response(heldUntilRead(body, free), context.res);
      return;
    } catch (error) {
      free();
      throw error;
    }
  };
}

function heldUntilRead(body: ReadableStream<Uint8Array>, free: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = (out: ReadableStreamDefaultController<Uint8Array>): void => {
    timer = setTimeout(() => stalled(out), stalledMs);
    // The timer must not keep the process alive.
    if (typeof timer === 'object' && 'unref' in timer) timer.unref();
  };
  const end = (): void => {
    clearTimeout(timer);
    free();
  };
  return new ReadableStream<Uint8Array>(
    {
      start: wait,
      async pull(out) {
        clearTimeout(timer);
        try {
          const { done, value } = await reader.read();
          if (done) {
            end();
            return out.close();
          }
          out.enqueue(value);
        } catch (error) {
          end();
          throw error;
        }
        wait(out);
      },
      cancel(reason) {
        end();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );

  function stalled(out: ReadableStreamDefaultController<Uint8Array>): void {
    end();
    out.error(new Error('The client takes nothing.'));
    void reader.cancel().catch(() => undefined);
  }
}
