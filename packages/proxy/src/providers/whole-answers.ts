import { bodyOf, directFrom, type DirectBody } from '../kit/direct-body.ts';

/** The longest time that a connection may stay open after the last event, in milliseconds. */
const closingMs = 1000;

/** The last event of servers that speak OpenAI’s protocol. */
const lastEvent = /(?:^|\n)data: ?\[DONE\]\s*$/;
const tailLength = 32;

/**
 * Wraps `fetch` so that an answer is complete once its last event `[DONE]` has arrived. A connection that breaks after
 * it, or stays open, ends the answer without an error.
 */
export function wholeAnswers(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
    if (!isStream || response.body === null) return response;
    return new Response(bodyOf(wholeBody(directFrom(response.body))), response);
  };
}

function wholeBody(body: DirectBody<Uint8Array | string>): DirectBody<Uint8Array | string> {
  let tail = '';
  let isOver = false;

  function note(piece: Uint8Array | string): void {
    const text = typeof piece === 'string' ? piece : latin1(piece.subarray(-tailLength));
    tail = (tail + text).slice(-tailLength);
  }

  return {
    read(onPiece, onError) {
      if (isOver) return onPiece(null);
      const isWhole = lastEvent.test(tail);
      let timer: ReturnType<typeof setTimeout> | undefined;

      function take(piece: Uint8Array | string | null): void {
        if (isOver) return;
        clearTimeout(timer);
        if (piece === null) isOver = true;
        else note(piece);
        onPiece(piece);
      }

      function end(): void {
        body.cancel();
        take(null);
      }

      if (isWhole) timer = setTimeout(end, closingMs);
      body.read(take, (error) => {
        if (isWhole) take(null);
        else onError(error);
      });
    },
    cancel: body.cancel,
  };
}

const latin1 = (bytes: Uint8Array): string => String.fromCharCode(...bytes);
