import { bodyOf, createHandover, type DirectBody } from '../kit/direct-body.ts';
import type { StreamEntry } from './stream-log.ts';
import type { StreamReader } from './stream-reader.ts';

/** The interval of pings in a quiet stream, so that no proxy in between closes it. */
const pingMs = 15_000;

const ping = ': ping\n\n';

/**
 * A stream as server-sent events, with all available events in one piece. The reader is closed when the stream ends or
 * is cancelled, or when the client of the signal has left. The `id:` is the offset of the event. JSON has no raw line
 * breaks, so no text of a model can become a field of its own. The body begins with a ping, so that the headers leave
 * before the first event of the model.
 */
export function eventStream(id: string, reader: StreamReader, client: AbortSignal): Response {
  return new Response(bodyOf(eventBody(reader, client)), { headers: eventStreamHeaders(id) });
}

function eventBody(reader: StreamReader, client: AbortSignal): DirectBody<string> {
  /** No read waits here while a client has stalled, so pings do not pile up. */
  const handover = createHandover<string | null>();
  /** Continues after a ping was taken. */
  let ready: (() => void) | null = null;
  let timer: ReturnType<typeof setInterval> | undefined;
  let hasBegun = false;
  let isAsking = false;

  function close(): void {
    clearInterval(timer);
    client.removeEventListener('abort', close);
    reader.cancel();
  }

  const servePing = (): void => handover.give(ping);

  function ask(): void {
    isAsking = true;
    reader.read(onEntries, onError);
  }

  function onEntries(entries: readonly StreamEntry[] | null): void {
    isAsking = false;
    if (entries === null) close();
    const text = entries && textOf(entries);
    if (handover.isWaiting()) handover.give(text);
    else ready = () => handover.give(text);
  }

  function onError(error: unknown): void {
    isAsking = false;
    // The log is unreachable: a broken connection makes the client come back.
    close();
    if (handover.isWaiting()) handover.fail(error);
    else ready = () => handover.fail(error);
  }

  client.addEventListener('abort', close, { once: true });
  if (client.aborted) close();
  else timer = setInterval(servePing, pingMs);

  return {
    read(onPiece, onFailed) {
      handover.wait(onPiece, onFailed);
      const serve = ready;
      ready = null;
      if (serve !== null) serve();
      else if (hasBegun && !isAsking) ask();
      else if (!hasBegun) {
        hasBegun = true;
        servePing();
      }
    },
    cancel: close,
  };
}

function textOf(entries: readonly StreamEntry[]): string {
  let text = '';
  for (const { offset, data } of entries) text += `id: ${offset}\ndata: ${data}\n\n`;
  return text;
}

/** The headers of a stream, also for a HEAD request. */
export function eventStreamHeaders(id: string): Record<string, string> {
  return {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
    'x-inference-id': id,
  };
}
