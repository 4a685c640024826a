/** A write exceeded a limit of its owner; nothing was written. */
export class SessionQuotaError extends Error {
  override readonly name = 'SessionQuotaError';
  readonly limit: 'sessions' | 'bytes';

  constructor(limit: 'sessions' | 'bytes', options?: ErrorOptions) {
    super(`The owner may keep no more ${limit}.`, options);
    this.limit = limit;
  }
}

/** Bytes that are counted beyond the texts, so that many small things are bounded as well. */
export const overhead = { head: 1024, row: 256, file: 512 } as const;
