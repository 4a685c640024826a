/** The approximate size of one piece of an answer, in characters. */
const pieceSize = 64 * 1024;

/** A string as JSON, in pieces. A surrogate pair may be cut; its halves are joined again when they are read. */
export function* textPieces(text: string): Iterable<string> {
  if (text.length <= pieceSize) return yield JSON.stringify(text);
  yield '"';
  for (let at = 0; at < text.length; at += pieceSize)
    yield JSON.stringify(text.slice(at, at + pieceSize)).slice(1, -1);
  yield '"';
}

/**
 * A JSON body that is generated while it is read, in pieces of about 64 KiB. It holds one piece and its source at a
 * time. An error breaks the answer off.
 */
export function jsonBody(parts: AsyncGenerator<Iterable<string>, void>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let part: Iterator<string> | null = null;

  /** Joins small pieces into the next one. */
  async function piece(): Promise<string | null> {
    let text = '';
    while (text.length < pieceSize) {
      const found = part?.next();
      if (found !== undefined && found.done !== true) {
        text += found.value;
        continue;
      }
      const more = await parts.next();
      if (more.done === true) return text === '' ? null : text;
      part = more.value[Symbol.iterator]();
    }
    return text;
  }

  return new ReadableStream<Uint8Array>(
    {
      async pull(out) {
        const text = await piece();
        if (text === null) out.close();
        else out.enqueue(encoder.encode(text));
      },
      cancel: () => void parts.return().catch(() => undefined),
    },
    { highWaterMark: 0 },
  );
}
