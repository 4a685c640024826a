import { putMessage, putRunTogether } from '../../../graph/document/put-together.ts';
import type { ExecutionState } from '../../../graph/types.ts';
import { freeze } from '../../../kit/freeze.ts';
import { openSession } from './open-session.ts';
import type { RowBook } from './encode-session.ts';
import { damaged, createRowReader } from './row-reader.ts';
import type { RowStorage } from './row-storage.ts';

/** The earlier executions of a session, oldest first. */
export async function readRuns(
  id: string,
  storage: RowStorage,
  book: RowBook,
): Promise<readonly ExecutionState[]> {
  const stored = await storage.read(id);
  if (stored === null) return [];
  const { graph } = openSession(id, stored, book).basis;
  const rows = graph?.runs ?? [];
  if (rows.length === 0) return [];
  const names = rows.flatMap(({ refs }) => refs.map(({ name }) => name));
  const reader = createRowReader(await storage.rows(id, [...new Set(names)]));
  return freeze(
    rows.map(({ name, refs: [run, ...messages] }) => {
      if (run === undefined) throw damaged(name, 'names no execution');
      const [body, hashes] = reader.open(run).body as readonly [unknown, readonly string[]];
      const table = messages.map((row) => putMessage(reader.open(row).body, row.name));
      return putRunTogether({ body, hashes, messages: table, children: [] }, run.name);
    }),
  );
}
