import { conflict, type WriteGround } from '../session-conflict.ts';
import type { WriterOptions } from '../session-store.ts';
import { groundOf, type SessionBases } from './create-session-bases.ts';
import { readHead } from './read-head.ts';
import type { RowStorage, StoredHead } from './row-storage.ts';
import type { SessionBasis } from './session-basis.ts';
import { unwritable } from './store-errors.ts';
import { readVacancy } from './vacant-head.ts';

/** Sends writes and keeps the bases of the next ones. */
export type RowWriter = {
  /** Resolves with the new version. @throws AgentError `session-conflict`, `session-storage` */
  readonly write: (
    id: string,
    options: WriterOptions,
    send: () => Promise<boolean>,
    done: () => SessionBasis,
  ) => Promise<number>;
  /** Creates the error for a stored session that is not the expected one. */
  readonly refused: (id: string, options: WriterOptions) => Promise<Error>;
};

export function createWriter(storage: RowStorage, bases: SessionBases): RowWriter {
  async function refused(id: string, options: WriterOptions): Promise<Error> {
    bases.forget(id);
    const stored = await storage.head(id);
    return conflict(id, groundOf(options), groundOfHead(id, stored));
  }

  return {
    refused,
    async write(id, options, send, done) {
      const isWritten = await send().catch((thrown: unknown) => {
        // The write may have succeeded all the same.
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

function groundOfHead(id: string, stored: StoredHead | null): WriteGround {
  const none = { version: 0, epoch: 0 };
  if (stored === null) return none;
  try {
    const vacancy = readVacancy(id, stored);
    if (vacancy !== null) return { ...none, epoch: vacancy.epoch };
    const { version, data } = readHead(id, stored);
    return { version, epoch: data.epoch ?? 0 };
  } catch {
    // The stored head is foreign.
    return none;
  }
}
