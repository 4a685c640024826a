import { bodyOf, createHandover, type DirectBody } from '../direct-body.ts';
import type { StreamEntry } from './stream-log.ts';
import type { StreamReader } from './stream-reader.ts';

/** How often a quiet stream says that it is still there, so that nothing in between closes it. */
const pingMs = 15_000;

const ping = ': ping\n\n';

/**
 * What a reader reads as server-sent events, all that stands ready in one piece; the reader is closed when the stream
 * ends, is given up, or the client of the signal has gone. The `id:` is the offset of the event; JSON has no raw line
 * breaks, so nothing that a model says can become a field of its own. It begins with a ping, so that the headers leave
 * before the model has said anything.
 */
export function eventStream(id: string, reader: StreamReader, client: AbortSignal): Response {
  return new Response(bodyOf(eventBody(reader, client)), { headers: eventStreamHeaders(id) });
}

function eventBody(reader: StreamReader, client: AbortSignal): DirectBody<string> {
  /** Nobody waits here while a client has stalled, so that pings do not pile up. */
  const handover = createHandover<string | null>();
  /** What came while a ping was taken. */
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
    // The log is away: a connection that breaks makes the client come back.
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

/** The headers of a stream, for whoever asks for them alone. */
export function eventStreamHeaders(id: string): Record<string, string> {
  return {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
    'x-inference-id': id,
  };
}
