const [lineFeed, carriageReturn] = [10, 13];

/**
 * A `fetch` for what calls a provider: a body is broken off when more bytes than these come without a blank line, so
 * that no single server-sent event, and no error page, can fill the memory before it is even read.
 */
export function cappedFetch(frameBytes: number, send: typeof fetch = globalThis.fetch): typeof fetch {
  return async (input, init) => {
    const response = await send(input, init);
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(capFrames(frameBytes)), { status, statusText, headers });
  };
}

function capFrames(frameBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let frame = 0;
  /** Bytes of the line that is not complete, and its last one. */
  let line = 0;
  let last = 0;

  /** Counts a piece that ends with a line, or with the chunk. */
  function count(piece: Uint8Array): void {
    frame += piece.length;
    line += piece.length;
    const end = piece.at(-1) ?? 0;
    const before = piece.length > 1 ? (piece.at(-2) ?? 0) : last;
    last = end;
    if (end !== lineFeed) return;
    if (line === 1 || (line === 2 && before === carriageReturn)) frame = 0;
    line = 0;
  }

  return new TransformStream({
    transform(chunk, stream) {
      for (let at = 0; at < chunk.length;) {
        const end = chunk.indexOf(lineFeed, at) + 1 || chunk.length;
        count(chunk.subarray(at, end));
        at = end;
        if (frame <= frameBytes) continue;
        const message = `The provider sent more than ${frameBytes} bytes without an end of the event.`;
        return stream.error(new Error(message));
      }
      stream.enqueue(chunk);
    },
  });
}
