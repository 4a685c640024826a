import type { StreamEntry } from './stream-log.ts';
import type { StreamReader } from './stream-reader.ts';

/** The interval of pings in a quiet stream, so that no proxy in between closes it. */
const pingMs = 15_000;

const encoder = new TextEncoder();
const ping = encoder.encode(': ping\n\n');

/**
 * A stream as server-sent events, with all available ones in one piece; an `id:` is an offset. JSON has no raw line
 * breaks, so no text becomes a field of its own. It begins with a ping, so that the headers leave before the first
 * event. The reader is closed with the stream, or when its client has left.
 */
export function eventStream(
  id: string,
  reader: StreamReader,
  { method, signal: client }: Pick<Request, 'method' | 'signal'>,
): Response {
  let timer: ReturnType<typeof setInterval> | undefined;

  function close(): void {
    clearInterval(timer);
    client.removeEventListener('abort', close);
    reader.cancel();
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
export function eventStreamHeaders(id: string, method: string): Record<string, string> {
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
