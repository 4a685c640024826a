import { AgentError } from '../../../kit/agent-error.ts';
import { assertSessionId } from '../../../kit/ids.ts';
import type { TakenEpoch } from '../session-store.ts';
import type { SessionBases } from './create-session-bases.ts';
import { readHead, writeHead } from './read-head.ts';
import type { RowStorage, StoredHead } from './row-storage.ts';
import { unwritable } from './store-errors.ts';
import { readVacancy, vacantWrite } from './vacant-head.ts';

/** The number of attempts. Other writers may win between a read and a write. */
const attempts = 64;

/**
 * Raises the epoch in the stored head. The head may only keep the epoch of a session that is not saved yet.
 */
export async function takeEpoch(id: string, storage: RowStorage, bases: SessionBases): Promise<TakenEpoch> {
  assertSessionId(id);
  for (let attempt = 0; attempt < attempts; attempt++) {
    const stored = await storage.head(id);
    const vacancy = stored === null ? null : readVacancy(id, stored);
    const taken =
      stored !== null && vacancy === null
        ? await raiseOfSession(id, stored, storage, bases)
        : await raiseOfVacancy(id, vacancy, storage);
    if (taken !== null) return taken;
  }
  const message = `No writer epoch of session ${JSON.stringify(id)} could be taken: others write all the time. Try again.`;
  throw new AgentError('session-storage', message, { data: { id, retryable: true } });
}

async function raiseOfVacancy(
  id: string,
  before: ReturnType<typeof readVacancy>,
  storage: RowStorage,
): Promise<TakenEpoch | null> {
  const { version, removedAt } = before ?? { version: 0, removedAt: null };
  const epoch = (before?.epoch ?? 0) + 1;
  const write = vacantWrite(before?.stored ?? null, { id, epoch, version, removedAt });
  return (await sent(id, storage.write(id, write))) ? { epoch, version: 0 } : null;
}

async function raiseOfSession(
  id: string,
  stored: StoredHead,
  storage: RowStorage,
  bases: SessionBases,
): Promise<TakenEpoch | null> {
  const before = readHead(id, stored);
  const { root, journal, taken, summary, rows } = before.data;
  const { version } = before;
  const epoch = (before.data.epoch ?? 0) + 1;
  const keepings = { epoch, ...(taken === undefined ? {} : { taken }) };
  const kept = { summary: { ...summary, version }, ...(rows && { rows }) };
  const head = writeHead({ records: stored.records, root, journal, ...keepings }, kept);
  const append = { expected: stored, record: null, head: head.stored.text, isStrict: true };
  if (!(await sent(id, storage.append(id, append)))) return null;
  bases.raise(id, stored, head);
  return { epoch, version };
}

function sent(id: string, writing: Promise<boolean>): Promise<boolean> {
  return writing.catch((thrown: unknown) => {
    throw unwritable(id, thrown);
  });
}
