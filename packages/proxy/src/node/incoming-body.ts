import type { IncomingMessage } from 'node:http';
import { createHandover, type DirectBody } from '../kit/direct-body.ts';

/** The most bytes that wait before back-pressure stops the sender. */
const maxWaiting = 65_536;

/**
 * The body of a message as a direct source. A broken connection gives the same error as `fetch`, an abort gives the
 * reason of its signal.
 */
export function incomingBody(message: IncomingMessage, signal: AbortSignal | null): DirectBody<Uint8Array> {
  const handover = createHandover<Uint8Array | null>();
  const pieces: Uint8Array[] = [];
  let waiting = 0;
  let end: (() => void) | null = null;

  function finish(how: () => void): void {
    end ??= how;
    end();
  }

  message.on('data', (piece: Uint8Array) => {
    if (handover.isWaiting()) return handover.give(piece);
    pieces.push(piece);
    waiting += piece.length;
    if (waiting > maxWaiting) message.pause();
  });
  message.on('end', () => finish(() => handover.give(null)));
  message.on('error', (cause) => {
    const error = signal?.aborted ? signal.reason : new TypeError('terminated', { cause });
    finish(() => handover.fail(error));
  });

  return {
    read(onPiece, onError) {
      if (pieces.length === 0) {
        handover.wait(onPiece, onError);
        return end?.();
      }
      // One piece in place of many: the reader must not recurse once per small piece.
      const piece = Buffer.concat(pieces.splice(0));
      waiting = 0;
      if (message.isPaused()) message.resume();
      onPiece(piece);
    },
    cancel: () => void message.destroy(),
  };
}
