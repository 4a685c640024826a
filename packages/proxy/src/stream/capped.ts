const [lineFeed, carriageReturn] = [10, 13];

/**
 * The same answer, broken off when it exceeds this many bytes without a blank line. No single server-sent event, and no
 * error page, can therefore fill the memory before it is parsed.
 */
export function capped(response: Response, frameBytes: number): Response {
  return response.body === null ? response : new Response(cappedBody(response.body, frameBytes), response);
}

/** The error of such an answer. */
export const eventTooLong = (frameBytes: number): Error =>
  new Error(`The provider sent more than ${frameBytes} bytes without an end of the event.`);

/** Read by hand, because a transform stream takes three times as long. */
function cappedBody(body: ReadableStream<Uint8Array>, frameBytes: number): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const isTooLong = frameCounter(frameBytes);
  return new ReadableStream(
    {
      pull: (stream) =>
        reader.read().then(({ done, value }) => {
          if (done) return stream.close();
          if (!isTooLong(value)) return stream.enqueue(value);
          const error = eventTooLong(frameBytes);
          void reader.cancel(error).catch(() => undefined);
          stream.error(error);
        }),
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** Creates a function that is true for the chunk with which an event exceeds the limit. */
function frameCounter(frameBytes: number): (chunk: Uint8Array) => boolean {
  let frame = 0;
  /** Bytes of the incomplete line, and its last byte. */
  let line = 0;
  let last = 0;

  return (chunk) => {
    for (let at = 0; at < chunk.length;) {
      const end = chunk.indexOf(lineFeed, at) + 1 || chunk.length;
      const before = end - at > 1 ? chunk[end - 2] : last;
      last = chunk[end - 1] ?? 0;
      frame += end - at;
      line += end - at;
      at = end;
      if (last === lineFeed) {
        if (line === 1 || (line === 2 && before === carriageReturn)) frame = 0;
        line = 0;
      }
      if (frame > frameBytes) return true;
    }
    return false;
  };
}
