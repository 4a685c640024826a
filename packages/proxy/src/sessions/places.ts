import type { MiddlewareHandler } from 'hono';
import { refuse } from '../guard/problems.ts';
import { sessionProblems } from './session-problems.ts';
import type { SessionLimits, SessionsEnv } from './session-routes-options.ts';

type Waiting = { readonly key: string; readonly amount: number; readonly go: () => void };

const maxWaiting = { key: 100, all: 1000 };

/** Creates a total capacity, of which a key gets a quarter. A larger request runs as the only one of its key. */
function createPlaces(total: number) {
  const perKey = Math.max(1, total / 4);
  const used = new Map<string, number>();
  let waiting: readonly Waiting[] = [];
  let all = 0;

  function hasRoom(key: string, amount: number): boolean {
    const own = used.get(key) ?? 0;
    const fitsKey = own === 0 || own + amount <= perKey;
    return fitsKey && (all === 0 || all + amount <= total);
  }

  function change(key: string, amount: number): void {
    const own = (used.get(key) ?? 0) + amount;
    all += amount;
    if (own > 0) used.set(key, own);
    else used.delete(key);
  }

  function next(): void {
    for (const one of waiting) {
      if (!hasRoom(one.key, one.amount)) continue;
      waiting = waiting.filter((other) => other !== one);
      one.go();
    }
  }

  function takePlaces(key: string, amount: number): () => void {
    change(key, amount);
    let isFree = false;
    return () => {
      if (isFree) return;
      isFree = true;
      change(key, -amount);
      next();
    };
  }

  /** Takes so much capacity and returns the function that frees it; null when too many wait, or `signal` aborts. */
  return async (key: string, amount: number, signal: AbortSignal): Promise<(() => void) | null> => {
    if (signal.aborted) return null;
    if (hasRoom(key, amount)) return takePlaces(key, amount);
    const own = waiting.filter((one) => one.key === key).length;
    if (own >= maxWaiting.key || waiting.length >= maxWaiting.all) return null;
    return new Promise((resolve) => {
      const leave = (): void => {
        waiting = waiting.filter((other) => other !== one);
        resolve(null);
      };
      const go = (): void => {
        signal.removeEventListener('abort', leave);
        resolve(takePlaces(key, amount));
      };
      const one: Waiting = { key, amount, go };
      waiting = [...waiting, one];
      signal.addEventListener('abort', leave, { once: true });
    });
  };
}

/** The longest wait for a client to take the next part of an answer, in milliseconds. */
const stalledMs = 60_000;

/** Reserves the bytes of a body before it is read, until the request is answered. */
export function holdingBody(limits: SessionLimits): MiddlewareHandler<SessionsEnv> {
  const take = createPlaces(limits.heldBytes);
  return async (context, next) => {
    const { headers, signal } = context.req.raw;
    const most = Math.max(limits.bodyBytes, limits.fileBytes);
    const said = Number(headers.get('content-length') ?? Number.NaN);
    const amount = Number.isFinite(said) ? Math.min(said, most) : most;
    const free = await take(context.get('principal').id, amount, signal);
    if (free === null) return refuse(context, sessionProblems.busy);
    try {
      return await next();
    } finally {
      free();
    }
  };
}

/** Holds a place until the answer has been sent, or its client has left or stalled for a minute. */
export function holdingPlace(limits: SessionLimits): MiddlewareHandler<SessionsEnv> {
  const take = createPlaces(limits.reads);
  return async (context, next) => {
    const free = await take(context.get('principal').id, 1, context.req.raw.signal);
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
    timer = setTimeout(() => endStalled(out), stalledMs);
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

  function endStalled(out: ReadableStreamDefaultController<Uint8Array>): void {
    end();
    out.error(new Error('The client takes nothing.'));
    void reader.cancel().catch(() => undefined);
  }
}
