import type { EventReader } from './event-log.ts';

/** How often a quiet stream says that it is still there, so that nothing in between closes it. */
const pingMs = 15_000;

/**
 * What a reader reads of an inference as server-sent events; the reader is closed when the stream ends or is given
 * up. The `id:` is the number of the event; JSON has no raw line breaks, so nothing that a model says can become a
 * field of its own.
 */
export function eventStream(id: string, reader: EventReader): Response {
  const encoder = new TextEncoder();
  let ping: ReturnType<typeof setInterval> | undefined;
  const close = (): void => {
    clearInterval(ping);
    reader.close();
  };
  const body = new ReadableStream<Uint8Array>({
    start(stream) {
      ping = setInterval(() => {
        // A reader that has stalled is not sent pings that would only pile up.
        if ((stream.desiredSize ?? 0) > 0) stream.enqueue(encoder.encode(': ping\n\n'));
      }, pingMs);
    },
    async pull(stream) {
      const event = await reader.next();
      if (event) return stream.enqueue(encoder.encode(`id: ${event.offset}\ndata: ${event.json}\n\n`));
      close();
      stream.close();
    },
    cancel: close,
  });
  return new Response(body, { headers: eventStreamHeaders(id) });
}

/** The headers of a stream, for whoever asks for them alone. */
export function eventStreamHeaders(id: string): Record<string, string> {
  return {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    'x-inference-id': id,
  };
}
