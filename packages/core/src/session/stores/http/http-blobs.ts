import { type FileAnswer, fileTypeHeader } from './http-protocol.ts';
import type { SessionAnswer, SessionRequest } from './http-requests.ts';
import type { BlobRows } from '../rows/row-storage.ts';

/** Files on a server, each in its own request. `notOurs` creates the error for answers that are no file. */
export function httpBlobs(
  request: (sent: SessionRequest & { readonly what: string }) => Promise<SessionAnswer>,
  notOurs: (what: string) => Error,
): BlobRows {
  return {
    async put(id, { hash, bytes, mediaType }) {
      const path = `/${encodeURIComponent(id)}/files/${hash}`;
      // A media type may be any text, which a header cannot hold.
      const headers = { [fileTypeHeader]: encodeURIComponent(mediaType) };
      const { outcome } = await request({ what: 'The file', method: 'PUT', path, headers, body: bytes });
      if (outcome !== 'done') throw notOurs('The file');
    },
    async get(hash) {
      // The hash may come from a foreign message, and it becomes part of an address.
      if (!/^[0-9a-f]{64}$/.test(hash)) return null;
      const answer = await request({ what: 'The file', method: 'GET', path: `/files/${hash}` });
      if (answer.outcome !== 'done') return null;
      if (!isFile(answer.body)) throw notOurs('The file');
      return answer.body;
    },
  };
}

function isFile(body: unknown): body is FileAnswer {
  return typeof body === 'object' && body !== null && 'bytes' in body && body.bytes instanceof ArrayBuffer;
}
