import { longestTimerMs } from '../longest-timer.ts';

/** Why a body was not read. */
export type BodyRefusal = {
  readonly refused: 'too-large' | 'too-slow' | 'unreadable';
  readonly bytes: number;
};

/** How large a body may be, in bytes, and how slow, in milliseconds. */
export type BodyLimits = { readonly maxBytes: number; readonly maxMs: number };

/** How much a body that is on its way earns another second with. */
const bytesPerSecond = 64 * 1024;

/**
 * Reads a body of at most `maxBytes`, by what it says of itself and by what comes, in `maxMs` milliseconds and a second
 * more for every 64 KiB of it. `take` is given each part of it; what it throws makes the body unreadable.
 */
export async function readChunks(
  request: Request,
  { maxBytes, maxMs }: BodyLimits,
  take: (chunk: Uint8Array<ArrayBuffer>) => void,
): Promise<{ readonly bytes: number } | BodyRefusal> {
  const announced = Number(request.headers.get('content-length') ?? Number.NaN);
  if (announced > maxBytes) return { refused: 'too-large', bytes: announced };
  if (announced <= bytesPerSecond) return readWhole(request, announced, { maxBytes, maxMs }, take);
  if (request.body === null) return { bytes: 0 };
  const reader = (request.body as ReadableStream<Uint8Array<ArrayBuffer>>).getReader();
  const deadline = Date.now() + maxMs;
  let bytes = 0;
  const refuse = (refused: BodyRefusal['refused']): BodyRefusal => {
    void reader.cancel().catch(() => undefined);
    return { refused, bytes };
  };
  try {
    for (;;) {
      const chunk = await before(deadline + (bytes / bytesPerSecond) * 1000, reader.read());
      if (chunk === 'late') return refuse('too-slow');
      if (chunk.done) return { bytes };
      bytes += chunk.value.byteLength;
      if (bytes > maxBytes) return refuse('too-large');
      take(chunk.value);
    }
  } catch {
    return refuse('unreadable');
  }
}

/** One that a server lets be no longer than a little, without the web stream that it would have to make of it. */
async function readWhole(
  request: Request,
  announced: number,
  { maxBytes, maxMs }: BodyLimits,
  take: (chunk: Uint8Array<ArrayBuffer>) => void,
): Promise<{ readonly bytes: number } | BodyRefusal> {
  try {
    const body = await before(
      Date.now() + maxMs + (announced / bytesPerSecond) * 1000,
      request.arrayBuffer(),
    );
    if (body === 'late') return { refused: 'too-slow', bytes: 0 };
    if (body.byteLength > maxBytes) return { refused: 'too-large', bytes: body.byteLength };
    take(new Uint8Array(body));
    return { bytes: body.byteLength };
  } catch {
    return { refused: 'unreadable', bytes: 0 };
  }
}

function before<Value>(deadline: number, promise: Promise<Value>): Promise<Value | 'late'> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => resolve('late'),
      Math.min(Math.max(0, deadline - Date.now()), longestTimerMs),
    );
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
