import { join } from 'node:path';
import { effectLog } from '@vitrine/core';
import { sqliteSessions } from '@vitrine/proxy/sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { folderOfTest } from '../../../../tests/folder-of-test.ts';
import type { SessionAddress } from '../host/session-host.ts';
import { effectRecords } from './host-effects.ts';
import { type HostTables, openHostTables } from './host-tables.ts';

const address: SessionAddress = { owner: 'anna', agent: 'clerk', sessionId: 's1' };
const call = { path: [], key: '1/0/1', kind: 'tool', name: 'pay', effects: 'once', input: {} } as const;
const effect = { ...call, executionId: 'execution', hasBegun: false };
const { signal } = new AbortController();
const paid = (): Promise<string> => Promise.resolve('paid');

it('the outcome of an idempotent call waits for no disk, and the connection waits again afterwards', async () => {
  const path = join(folderOfTest('effects'), 'sessions.db');
  const sessions = sqliteSessions({ path });
  const tables = openHostTables(path, sessions);
  onTestFinished(async () => {
    tables.close();
    await sessions.close();
  });
  const waits: string[] = [];
  const noting: HostTables = {
    ...tables,
    change(statements, options) {
      waits.push(options?.isSynced === false ? 'unsynced' : 'synced');
      return tables.change(statements, options);
    },
  };
  const log = effectLog(effectRecords(() => noting, address, 1));
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
