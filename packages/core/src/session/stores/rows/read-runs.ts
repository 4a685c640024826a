import type { ExecutionState } from '../../../graph/types.ts';
import { freeze } from '../../../kit/freeze.ts';
import { liveRecord } from '../live-record.ts';
import { openSession } from './session-bases.ts';
import type { RowBook } from './encode-session.ts';
import { decodeRun } from './decode-session.ts';
import { createRowReader } from './row-reader.ts';
import type { RowStorage } from './row-storage.ts';
import { isVacant } from './is-vacant.ts';

/**
 * Resolves with the earlier executions of a session, oldest first: those with rows, and those that ended in
 * the tail.
 */
export async function readRuns(
  id: string,
  storage: RowStorage,
  book: RowBook,
): Promise<readonly ExecutionState[]> {
  const stored = await storage.read(id);
  if (stored === null || isVacant(stored.text)) return [];
  const { record, basis } = openSession(id, stored, book);
  const rows = basis.graph?.runs ?? [];
  const names = rows.flatMap(({ refs }) => refs.map(({ name }) => name));
  const reader = createRowReader(
    names.length === 0 ? new Map() : await storage.rows(id, [...new Set(names)]),
  );
  const runs = rows.map((row) => decodeRun(row, reader));
  return [...runs, ...freeze(liveRecord(record).replacedRuns)];
}
