import * as zlib from 'node:zlib';
import { recordTexts } from './record-texts.ts';

export type SentBody = {
  /** Null when it was too long to be kept. */
  readonly bytes: Uint8Array | null;
  readonly encoding: string | null;
};

/** The text of a body. @throws Error as `unpackBody` does. */
export function bodyText(body: SentBody): string {
  return unpackBody(body).toString();
}

/**
 * The bytes of a body. One that broke off is read as far as it came.
 * @throws Error for a body that was not kept, and for one that is not packed as it says.
 */
export function unpackBody({ bytes, encoding }: SentBody): Buffer {
  if (bytes === null) throw new Error('The body was too long to be kept.');
  const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH, ZSTD_e_flush } = zlib.constants;
  switch (bytes.length === 0 ? null : encoding) {
    case 'gzip':
    case 'deflate':
      return zlib.unzipSync(bytes, { finishFlush: Z_SYNC_FLUSH });
    case 'br':
      return zlib.brotliDecompressSync(bytes, { finishFlush: BROTLI_OPERATION_FLUSH });
    case 'zstd':
      if (zlib.zstdDecompressSync === undefined) throw new Error(recordTexts.noZstd(process.version));
      return zlib.zstdDecompressSync(bytes, { finishFlush: ZSTD_e_flush });
    default:
      return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }
}
