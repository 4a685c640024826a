import { effectLog } from '@vitrine/core';
import { expect, it, onTestFinished } from 'vitest';
import type { SessionAddress } from '../host/session-host.ts';
import { type HostDatabase, openHostDatabase } from './host-database.ts';
import { hostDatabases, noPostgres } from './host-databases.fixture.ts';
import { effectRecords } from './host-effects.ts';

const newDatabase = hostDatabases();
const address: SessionAddress = { owner: 'anna', agent: 'clerk', sessionId: 's1' };
const call = { path: [], key: '1/0/1', kind: 'tool', name: 'pay', effects: 'once', input: {} } as const;
const effect = { ...call, executionId: 'execution', hasBegun: false };
const { signal } = new AbortController();
const paid = (): Promise<string> => Promise.resolve('paid');

/** A new database as two processes open it; null where there is no PostgreSQL. */
async function twoDatabases(): Promise<readonly [HostDatabase, HostDatabase] | null> {
  const url = await newDatabase();
  if (url === null) return null;
  const both = [openHostDatabase(url, 'first', 3000), openHostDatabase(url, 'second', 3000)] as const;
  onTestFinished(async () => void (await Promise.all(both.map(({ close }) => close()))));
  return both;
}

it('the calls of a new execution cost one question together, and one statement each', async ({ skip }) => {
  const both = await twoDatabases();
  if (both === null) return skip(noPostgres);
  const [database, other] = both;
  const asked: string[] = [];
  const rows: HostDatabase['rows'] = (sql, values) => (
    asked.push(/SELECT key|SELECT outcome|INSERT/.exec(sql)?.[0] ?? sql),
    database.rows(sql, values)
  );
  const calls = [1, 2, 3].map((step) => ({ ...effect, key: `${step}/0/1`, effects: 'idempotent' as const }));
  const log = effectLog(effectRecords({ ...database, rows }, address, 1));
  for (const each of calls) await log.perform(each, paid, signal);
  expect(asked).toEqual(['SELECT key', 'INSERT', 'INSERT', 'INSERT']);
  // A later run uses what is recorded, also of one that was replaced in between.
  const never = (): Promise<string> => Promise.reject(new Error('It is made again.'));
  const later = effectLog(effectRecords(other, address, 2));
  for (const each of calls) expect(await later.perform(each, never, signal)).toBe('paid');
});
