import { within } from '../kit/time.ts';

/**
 * `fetch` for calls of providers, which follows no redirect: a redirect would carry the conversation, and with some
 * providers the key, to any address that an answer names. Models of {@link modelsFromEnv} use it; give it to providers
 * that you create yourself, e.g. `createOpenAI({ fetch: upstreamFetch })`.
 */
export const upstreamFetch: typeof fetch = (input, init) => fetch(input, { ...init, redirect: 'manual' });

/** The longest time that a connection may stay open after the last event, in milliseconds. */
const closingMs = 1000;

/** The last event of chat completions, which is one line, and the line that begins the last event of responses. */
const done = /^data: ?\[DONE\]\s*$/;
const ending = /^event: ?response\.(?:completed|incomplete|failed)\s*$/;
/** Longer lines are neither, and are not looked at. */
const maxLine = 32;

const [lineFeed, carriageReturn] = [10, 13];

/**
 * Wraps `fetch` so that an answer ends with its last event, whatever its connection does, and breaks off after more
 * than `frameBytes` without a blank line, so that no event or error page fills the memory.
 */
export function checkedAnswers(fetch: typeof globalThis.fetch, frameBytes: number): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null) return response;
    return new Response(checkedBody(response.body, createFrames(frameBytes)), response);
  };
}

/** Read by hand, because a transform stream takes three times as long. */
function checkedBody(body: ReadableStream<Uint8Array>, frames: Frames): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const leave = (reason: unknown): void => void reader.cancel(reason).catch(() => undefined);
  return new ReadableStream(
    {
      async pull(out) {
        const isWhole = frames.isWhole();
        const { done, value } = isWhole ? await within(closingMs, reader.read(), over) : await reader.read();
        if (done) {
          if (isWhole) leave(undefined);
          return out.close();
        }
        const error = frames.add(value);
        if (error === null) return out.enqueue(value);
        leave(error);
        out.error(error);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

const over: ReadableStreamReadResult<Uint8Array> = { done: true, value: undefined };

/** The server-sent events of a body as far as they have arrived. */
type Frames = ReturnType<typeof createFrames>;

function createFrames(frameBytes: number) {
  let frame = 0;
  /** Bytes of the incomplete line, its text while that is short, and its last byte. */
  let line = 0;
  let text = '';
  let last = 0;
  let isEnding = false;
  let isWhole = false;

  function endLine(before: number | undefined): void {
    if (line === 1 || (line === 2 && before === carriageReturn)) {
      frame = 0;
      isWhole ||= isEnding;
    } else isEnding ||= line <= maxLine && ending.test(text);
    line = 0;
    text = '';
  }

  return {
    /** Adds a chunk. Returns the error of an event that exceeds the limit with it; null for any other chunk. */
    add(chunk: Uint8Array): Error | null {
      for (let at = 0; at < chunk.length;) {
        const end = chunk.indexOf(lineFeed, at) + 1 || chunk.length;
        const before = end - at > 1 ? chunk[end - 2] : last;
        last = chunk[end - 1] ?? 0;
        frame += end - at;
        line += end - at;
        // Blank lines and long ones are no such line.
        if (line <= maxLine && (line > 2 || last !== lineFeed)) {
          for (let byte = at; byte < end; byte++) text += String.fromCharCode(chunk[byte] ?? 0);
          isWhole ||= done.test(text);
        }
        at = end;
        if (last === lineFeed) endLine(before);
        if (frame > frameBytes)
          return new Error(`The provider sent more than ${frameBytes} bytes without an end of the event.`);
      }
      return null;
    },
    /** True when the last event has arrived. */
    isWhole: (): boolean => isWhole,
  };
}
