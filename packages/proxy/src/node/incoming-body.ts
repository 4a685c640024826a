import type { IncomingMessage } from 'node:http';
import { createHandover, type DirectBody } from '../direct-body.ts';

/** How many bytes may wait before the sender has to. */
const maxWaiting = 65_536;

/** What a message brings, as it comes. One that breaks off is an error as of `fetch`; an aborted one has the reason of its signal. */
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
      // In one, so that whoever takes what stands ready does not call itself for each of many small pieces.
      const piece = Buffer.concat(pieces.splice(0));
      waiting = 0;
      if (message.isPaused()) message.resume();
      onPiece(piece);
    },
    cancel: () => void message.destroy(),
  };
}
