import type { ServerResponse } from 'node:http';
import type { DirectBody } from '../kit/direct-body.ts';

/** Writes a body to a response with back-pressure. A body that fails breaks the connection off. */
export function writeDirect(
  { status, headers }: Response,
  body: DirectBody<Uint8Array | string>,
  out: ServerResponse,
): void {
  out.writeHead(status, [...headers].flat());
  out.once('close', () => body.cancel());

  const read = (): void => body.read(onPiece, onError);
  const onError = (): void => void out.destroy();
  function onPiece(piece: Uint8Array | string | null): void {
    if (piece === null) out.end();
    else if (out.write(piece)) read();
    else out.once('drain', read);
  }
  if (out.destroyed) body.cancel();
  else read();
}
