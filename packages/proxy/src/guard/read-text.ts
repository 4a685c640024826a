/** A body as text with its length, or why there is none. */
export type ReadText =
  | { readonly text: string; readonly bytes: number }
  | { readonly refused: 'too-large' | 'too-slow' | 'unreadable'; readonly bytes: number };

/** How much a body that is on its way earns another second with. */
const bytesPerSecond = 64 * 1024;

/**
 * Reads a body of at most `maxBytes`, by what it says of itself and by what comes, in `maxMs` milliseconds and a second
 * more for every 64 KiB of it. It has to be UTF-8.
 */
export async function readText(
  request: Request,
  { maxBytes, maxMs }: { readonly maxBytes: number; readonly maxMs: number },
): Promise<ReadText> {
  const announced = Number(request.headers.get('content-length') ?? 0);
  if (announced > maxBytes) return { refused: 'too-large', bytes: announced };
  if (request.body === null) return { text: '', bytes: 0 };
  const reader = (request.body as ReadableStream<Uint8Array>).getReader();
  const deadline = Date.now() + maxMs;
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let bytes = 0;
  const refuse = (refused: 'too-large' | 'too-slow' | 'unreadable'): ReadText => {
    void reader.cancel().catch(() => undefined);
    return { refused, bytes };
  };
  try {
    for (;;) {
      const chunk = await before(deadline + (bytes / bytesPerSecond) * 1000, reader.read());
      if (chunk === 'late') return refuse('too-slow');
      if (chunk.done) return { text: text + decoder.decode(), bytes };
      bytes += chunk.value.byteLength;
      if (bytes > maxBytes) return refuse('too-large');
      text += decoder.decode(chunk.value, { stream: true });
    }
  } catch {
    return refuse('unreadable');
  }
}

function before<Value>(deadline: number, promise: Promise<Value>): Promise<Value | 'late'> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => resolve('late'),
      Math.min(Math.max(0, deadline - Date.now()), 2 ** 31 - 1),
    );
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
