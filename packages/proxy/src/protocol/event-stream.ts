import type { InferenceLog } from './inference-log.ts';

/** How often a quiet stream says that it is still there, so that nothing in between closes it. */
const pingMs = 15_000;

/**
 * Events of an inference from an offset on as server-sent events. The `id:` is the number of the event; JSON has no
 * raw line breaks, so nothing that a model says can become a field of its own.
 */
export function eventStream(log: InferenceLog, offset: number, onClose: () => void): Response {
  const controller = new AbortController();
  const encoder = new TextEncoder();
  const events = log.read(offset, controller.signal);
  let ping: ReturnType<typeof setInterval> | undefined;
  const close = (): void => {
    clearInterval(ping);
    controller.abort();
    onClose();
  };
  const body = new ReadableStream<Uint8Array>({
    start(stream) {
      ping = setInterval(() => {
        // A reader that has stalled is not sent pings that would only pile up.
        if ((stream.desiredSize ?? 0) > 0) stream.enqueue(encoder.encode(': ping\n\n'));
      }, pingMs);
    },
    async pull(stream) {
      const { done, value } = await events.next();
      if (done === true) {
        close();
        stream.close();
        return;
      }
      stream.enqueue(encoder.encode(`id: ${value.offset}\ndata: ${JSON.stringify(value.event)}\n\n`));
    },
    cancel: close,
  });
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-inference-id': log.id,
    },
  });
}
