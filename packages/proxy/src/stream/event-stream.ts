import type { StreamEntry } from './stream-log.ts';
import type { StreamReader } from './stream-reader.ts';

/** How often a quiet stream says that it is still there, so that nothing in between closes it. */
const pingMs = 15_000;

const encoder = new TextEncoder();
const ping = ': ping\n\n';

/**
 * What a reader reads as server-sent events, all that stands ready in one piece; the reader is closed when the stream
 * ends, is given up, or the client of the signal has gone. The `id:` is the offset of the event; JSON has no raw line
 * breaks, so nothing that a model says can become a field of its own. It begins with a ping, so that the headers leave
 * before the model has said anything.
 */
export function eventStream(id: string, reader: StreamReader, client: AbortSignal): Response {
  let timer: ReturnType<typeof setInterval> | undefined;
  const close = (): void => {
    clearInterval(timer);
    client.removeEventListener('abort', close);
    reader.close();
  };
  const body = new ReadableStream<Uint8Array>({
    start(stream) {
      client.addEventListener('abort', close, { once: true });
      if (client.aborted) return close();
      stream.enqueue(encoder.encode(ping));
      timer = setInterval(() => {
        // A reader that has stalled is not sent pings that would only pile up.
        if ((stream.desiredSize ?? 0) > 0) stream.enqueue(encoder.encode(ping));
      }, pingMs);
    },
    pull: (stream) =>
      reader.next().then(
        (entries) => {
          if (entries !== null) return stream.enqueue(encoder.encode(textOf(entries)));
          close();
          stream.close();
        },
        (error: unknown) => {
          // The log is away: a connection that breaks makes the client come back.
          close();
          throw error;
        },
      ),
    cancel: close,
  });
  return new Response(body, { headers: eventStreamHeaders(id) });
}

function textOf(entries: readonly StreamEntry[]): string {
  let text = '';
  for (const { offset, data } of entries) text += `id: ${offset}\ndata: ${data}\n\n`;
  return text;
}

/** The headers of a stream, for whoever asks for them alone. */
export function eventStreamHeaders(id: string): Record<string, string> {
  return {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
    'x-inference-id': id,
  };
}
