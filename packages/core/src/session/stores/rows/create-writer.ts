import { conflict } from '../session-conflict.ts';
import type { WriteOptions } from '../session-store.ts';
import type { SessionBases } from './create-session-bases.ts';
import { readHead } from './read-head.ts';
import type { RowStorage, StoredHead } from './row-storage.ts';
import type { SessionBasis } from './session-basis.ts';
import { unwritable } from './store-errors.ts';

/** Sends writes, and keeps what the next ones build on. */
export type RowWriter = {
  /** Resolves with the new version. @throws AgentError `session-conflict`, `session-storage` */
  readonly write: (
    id: string,
    options: WriteOptions,
    send: () => Promise<boolean>,
    done: () => SessionBasis,
  ) => Promise<number>;
  /** The error when something else is stored than was expected. */
  readonly refused: (id: string, options: WriteOptions) => Promise<Error>;
};

export function createWriter(storage: RowStorage, bases: SessionBases): RowWriter {
  async function refused(id: string, { expectedVersion }: WriteOptions): Promise<Error> {
    bases.forget(id);
    const stored = await storage.head(id);
    return conflict(id, expectedVersion, stored === null ? 0 : versionOf(id, stored));
  }

  return {
    refused,
    async write(id, options, send, done) {
      const isWritten = await send().catch((thrown: unknown) => {
        // It may have been written all the same.
        bases.forget(id);
        throw unwritable(id, thrown);
      });
      if (!isWritten) throw await refused(id, options);
      const basis = done();
      bases.set(id, basis);
      return basis.head.version;
    },
  };
}

function versionOf(id: string, stored: StoredHead): number {
  try {
    return readHead(id, stored).version;
  } catch {
    // Something else has been put in its place.
    return 0;
  }
}
