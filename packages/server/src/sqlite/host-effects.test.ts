import { join } from 'node:path';
import { effectLog } from '@vitrine/core/stores';
import { type EffectsUnderTest, testEffects } from '@vitrine/core/testing';
import { sqliteSessions } from '@vitrine/proxy/sqlite';
import { describe, expect, it } from 'vitest';
import { folderOfTest } from '../../../../tests/folder-of-test.ts';
import type { SessionAddress } from '../host/session-host.ts';
import { effectRecords, sqliteEffects } from './host-effects.ts';
import { beginEpoch, forget } from './host-rows.ts';
import { type HostTables, openHostTables } from './host-tables.ts';

const address: SessionAddress = { owner: 'anna', agent: 'clerk', sessionId: 's1' };
const isProof = Number(process.env['PROVE_RUNS'] ?? 0) >= 1000;
const call = { path: [], key: '1/0/1', kind: 'tool', name: 'pay', effects: 'once', input: {} } as const;
const effect = { ...call, executionId: 'execution', hasBegun: false };
const { signal } = new AbortController();
const paid = (): Promise<string> => Promise.resolve('paid');

function openTables(path: string): HostTables {
  const sessions = sqliteSessions({ path });
  const tables = openHostTables(path, sessions);
  return {
    ...tables,
    close() {
      tables.close();
      void sessions.close();
    },
  };
}

/** Two connections to one file, as two processes have. */
function twoTables(): readonly [HostTables, HostTables] {
  const path = join(folderOfTest('effects'), 'sessions.db');
  return [openTables(path), openTables(path)];
}

describe('the laws of effect logs, in SQLite', () => {
  const make = (): EffectsUnderTest => {
    const [first, second] = twoTables();
    const records = effectRecords(() => first, address, 1);
    return {
      effects: effectLog(records),
      reopen: () => sqliteEffects(() => second, address, 1),
      records,
      close() {
        first.close();
        second.close();
      },
    };
  };
  for (const { name, run } of testEffects(make, isProof ? {} : { kills: 8 }))
    // Each record waits for the disk, which others use as well.
    it(name, { timeout: 120_000 }, async () => expect(await run()).toEqual({ skipped: null }));
});

it('a run that was replaced begins no `once` call, and its session is free of the attempt', async () => {
  const [first, second] = twoTables();
  const [old, newer] = [await beginEpoch(first, address), await beginEpoch(second, address)];
  const refused = sqliteEffects(() => first, address, old).perform(effect, paid, signal);
  await expect(refused).rejects.toMatchObject({ code: 'session-conflict' });
  expect(await sqliteEffects(() => second, address, newer).perform(effect, paid, signal)).toBe('paid');
});

it('the outcome of an idempotent call waits for no disk, and the connection waits again afterwards', async () => {
  const [tables] = twoTables();
  const waits: string[] = [];
  const noting: HostTables = {
    ...tables,
    change(statements, options) {
      waits.push(options?.isSynced === false ? 'unsynced' : 'synced');
      return tables.change(statements, options);
    },
  };
  const log = sqliteEffects(() => noting, address, 1);
  async function* answer(): AsyncGenerator<string> {
    yield 'Hi';
  }
  const model = { ...effect, kind: 'model', key: '1/model/1', effects: 'idempotent' } as const;
  for await (const item of log.stream(model, answer, signal)) expect(item).toBe('Hi');
  await log.perform({ ...effect, key: '1/0/1', effects: 'idempotent' }, paid, signal);
  expect(waits).toEqual(['unsynced', 'unsynced']);
  await log.perform({ ...effect, key: '1/1/1' }, paid, signal);
  expect(waits.slice(2)).toEqual(['synced', 'synced']);
  expect(await tables.change([{ sql: 'PRAGMA synchronous' }])).toMatchObject([[{ synchronous: 2 }]]);
});

it('a removed session takes the records of its effects with it, and no others', async () => {
  const [tables] = twoTables();
  const other = { ...address, sessionId: 's2' };
  const logs = [address, other].map((at) => sqliteEffects(() => tables, at, 1));
  for (const log of logs) await log.perform(effect, paid, signal);
  await forget(tables, 'anna', 's1');
  const rows = tables.all('SELECT session FROM host_effects');
  expect(rows.map(({ session }) => session)).toEqual(['s2']);
});
