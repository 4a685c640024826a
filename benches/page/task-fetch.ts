import { sseWrites, type Wire } from '../sse-events.ts';
import type { StreamScript } from '../stream-script.ts';

/**
 * A `fetch` within the page, whose answer writes each part in its own task as soon as the page is free. The network
 * hands a busy page its answer in a few large pieces; this source never does, so nothing hides the cost of a delta.
 */
export function taskFetch(script: StreamScript, wire: Wire): typeof fetch {
  const encoder = new TextEncoder();
  // Encoded before the measurement, because tens of thousands of writes take as long as a long task.
  const writes = sseWrites(script, wire).map((text) => encoder.encode(text));
  return async (_input, init) => {
    if (typeof init?.body !== 'string') throw new Error('The request has no text for a body.');
    let at = 0;
    const source: UnderlyingDefaultSource<Uint8Array<ArrayBuffer>> = {
      async pull(controller) {
        await task();
        const next = writes[at++];
        if (next) controller.enqueue(next);
        else controller.close();
      },
    };
    const body = new ReadableStream(source, { highWaterMark: 0 });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };
}

let resume: () => void = () => undefined;
const { port1, port2 } = new MessageChannel();
port1.onmessage = () => resume();

/** Waits for the next macrotask; timers would wait longer. */
function task(): Promise<void> {
  return new Promise((resolve) => {
    resume = resolve;
    port2.postMessage(null);
  });
}
