import { late, orLate } from '../kit/time.ts';
import { type Problem, problems } from './problems.ts';

/** A body as text with its length, or the reason why it was refused. */
type ReadText = { readonly text: string; readonly bytes: number } | BodyRefusal;

/** Reads a body within its limits. The body must be UTF-8. */
export async function readText(request: Request, limits: BodyLimits): Promise<ReadText> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  const read = await readChunks(request, limits, (chunk) => {
    text += decoder.decode(chunk, { stream: true });
  });
  if ('refused' in read) return read;
  try {
    return { text: text + decoder.decode(), bytes: read.bytes };
  } catch {
    return { refused: 'unreadable', bytes: read.bytes };
  }
}

export type BodyRefusal = {
  readonly refused: 'too-large' | 'too-slow' | 'unreadable';
  readonly bytes: number;
};

/** The problem of a body that was not read. A body that breaks off is `unreadable`. */
export function refusalOf({ refused }: BodyRefusal, tooLarge: Problem, unreadable: Problem): Problem {
  return { 'too-large': tooLarge, 'too-slow': problems.tooSlow, unreadable }[refused];
}

/** The largest size of a body in bytes and its longest time in milliseconds. */
type BodyLimits = {
  readonly maxBytes: number;
  readonly maxMs: number;
  /** Reserves so many bytes in all; a body without room counts as too large. */
  readonly makeRoom?: (bytes: number) => boolean;
};

/** Bytes of an arriving body that extend its time by one second. */
const bytesPerSecond = 64 * 1024;

/**
 * Reads a body of at most `maxBytes`, by its announced and its real length, in `maxMs` milliseconds plus a second for
 * every 64 KiB. `take` receives one chunk at a time; an error that it throws makes the body unreadable.
 */
export async function readChunks(
  request: Request,
  { maxBytes, maxMs, makeRoom = () => true }: BodyLimits,
  take: (chunk: Uint8Array<ArrayBuffer>) => void | Promise<void>,
): Promise<{ readonly bytes: number } | BodyRefusal> {
  const announced = Number(request.headers.get('content-length') ?? Number.NaN);
  if (announced > maxBytes) return { refused: 'too-large', bytes: announced };
  if (announced <= bytesPerSecond) return readWhole(request, announced, { maxBytes, maxMs }, take);
  if (request.body === null) return { bytes: 0 };
  const reader = (request.body as ReadableStream<Uint8Array<ArrayBuffer>>).getReader();
  const deadline = performance.now() + maxMs;
  let bytes = 0;
  const refuse = (refused: BodyRefusal['refused']): BodyRefusal => {
    void reader.cancel().catch(() => undefined);
    return { refused, bytes };
  };
  try {
    for (;;) {
      const left = deadline + (bytes / bytesPerSecond) * 1000 - performance.now();
      const chunk = await orLate(left, reader.read());
      if (chunk === late) return refuse('too-slow');
      if (chunk.done) return { bytes };
      bytes += chunk.value.byteLength;
      if (bytes > maxBytes || !makeRoom(bytes)) return refuse('too-large');
      await take(chunk.value);
    }
  } catch {
    return refuse('unreadable');
  }
}

/** Reads a short body whole, without a web stream, where the server enforces its announced length. */
async function readWhole(
  request: Request,
  announced: number,
  { maxBytes, maxMs }: BodyLimits,
  take: (chunk: Uint8Array<ArrayBuffer>) => void | Promise<void>,
): Promise<{ readonly bytes: number } | BodyRefusal> {
  let bytes = 0;
  try {
    const body = await orLate(maxMs + (announced / bytesPerSecond) * 1000, request.arrayBuffer());
    if (body === late) return { refused: 'too-slow', bytes: 0 };
    bytes = body.byteLength;
    if (bytes > maxBytes) return { refused: 'too-large', bytes };
    await take(new Uint8Array(body));
    return { bytes };
  } catch {
    return { refused: 'unreadable', bytes };
  }
}
