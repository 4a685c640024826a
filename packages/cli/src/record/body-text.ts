import * as zlib from 'node:zlib';
import { recordTexts } from './record-texts.ts';

export type SentBody = {
  /** Null when it was too long to be kept. */
  readonly bytes: Uint8Array | null;
  readonly encoding: string | null;
};

/**
 * The text of a body. One that broke off is read as far as it came.
 * @throws Error for a body that was not kept, and for one that is not packed as it says.
 */
export function bodyText({ bytes, encoding }: SentBody): string {
  if (bytes === null) throw new Error('The body was too long to be kept.');
  return unpackBody(bytes, encoding).toString();
}

function unpackBody(bytes: Uint8Array, encoding: string | null): Buffer {
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
      return Buffer.from(bytes);
  }
}
