import type { IncomingMessage } from 'node:http';
import { createHandover, type DirectBody, type Taker } from '../direct-body.ts';

/** How many bytes may wait before the sender has to. */
const maxWaiting = 65_536;

/** What a message brings, as it comes. One that breaks off is an error as of `fetch`; an aborted one has the reason of its signal. */
export function incomingBody(message: IncomingMessage, signal: AbortSignal | null): DirectBody<Uint8Array> {
  const handover = createHandover<Uint8Array>();
  const pieces: Uint8Array[] = [];
  let waiting = 0;
  let end: ((taker: Taker<Uint8Array>) => void) | null = null;

  function finish(serve: (taker: Taker<Uint8Array>) => void): void {
    end ??= serve;
    handover.serve(end);
  }

  message.on('data', (piece: Uint8Array) => {
    if (handover.isWaiting()) return handover.serve(({ onPiece }) => onPiece(piece));
    pieces.push(piece);
    waiting += piece.length;
    if (waiting > maxWaiting) message.pause();
  });
  message.on('end', () => finish(({ onPiece }) => onPiece(null)));
  message.on('error', (cause) => {
    const error = signal?.aborted ? signal.reason : new TypeError('terminated', { cause });
    finish(({ onError }) => onError(error));
  });

  return {
    read(onPiece, onError) {
      if (pieces.length === 0) {
        handover.wait({ onPiece, onError });
        if (end !== null) handover.serve(end);
        return;
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
