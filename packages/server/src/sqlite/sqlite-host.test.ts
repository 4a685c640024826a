import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { sqliteSessions } from '@vitrine/proxy/sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { folderOfTest } from '../../../../tests/folder-of-test.ts';
import type { HostUnderTest } from '../testing/host-law.ts';
import { spawnFixture } from '../testing/spawn-fixture.fixture.ts';
import { testSessionHost } from '../testing/test-session-host.ts';
import { effectRecords } from './host-effects.ts';
import { openHostTables } from './host-tables.ts';
import { sqliteHost } from './sqlite-host.ts';

const isProof = Number(process.env['PROVE_RUNS'] ?? 0) >= 1000;

const hosts = (): HostUnderTest => {
  const path = join(folderOfTest('host'), 'sessions.db');
  const script = new URL('host-process.fixture.ts', import.meta.url);
  return {
    host: sqliteHost({ path }),
    reopen: () => sqliteHost({ path }),
    spawn: ({ log, ms }) => spawnFixture(script, [path, log, String(ms)]),
    records(address, epoch) {
      // A connection of its own, as another process has.
      const sessions = sqliteSessions({ path });
      const tables = openHostTables(path, sessions);
      onTestFinished(async () => {
        tables.close();
        await sessions.close();
      });
      return effectRecords(() => tables, address, epoch);
    },
  };
};

describe('the laws of session hosts, in SQLite', () => {
  // A stopped process keeps its lock, so nobody takes over from it.
  const laws = testSessionHost(hosts, { replaces: ['SIGKILL'], ...(isProof && { kills: Infinity }) });
  // Each record waits for the disk, which others use as well.
  for (const { name, run } of laws) it(name, { timeout: 120_000 }, run);
});

it('a second host of a path waits until the first has stopped', async () => {
  const path = join(folderOfTest('host'), 'sessions.db');
  const [first, second] = [sqliteHost({ path }), sqliteHost({ path })];
  onTestFinished(() => second.stop({ graceMs: 0 }));
  const order: string[] = [];
  await first.start(async () => undefined);
  const started = second.start(async () => undefined).then(() => order.push('second'));
  await new Promise((resolve) => setTimeout(resolve, 200));
  order.push('first stops');
  await first.stop();
  await started;
  expect(order).toEqual(['first stops', 'second']);
});

it('a command waits for a writer of the same file, and the server goes on meanwhile', async () => {
  const path = join(folderOfTest('host'), 'sessions.db');
  const host = sqliteHost({ path });
  onTestFinished(() => host.stop());
  const address = { owner: 'anna', agent: 'clerk', sessionId: 's1' };
  await host.pending(address);
  const writer = new DatabaseSync(path);
  writer.exec('BEGIN IMMEDIATE');
  const order: string[] = [];
  const kept = host.submit(address, { id: 'c1', type: 'send' }, 'anna').then(() => order.push('kept'));
  await sleep(50);
  order.push('the server went on');
  expect(await host.pending(address)).toEqual([]);
  writer.exec('COMMIT');
  writer.close();
  await kept;
  expect(order).toEqual(['the server went on', 'kept']);
  expect(await host.pending(address)).toMatchObject([{ command: { id: 'c1' } }]);
});

it('many due sessions begin in their order, and at most 16 of them have not read their session', async () => {
  const path = join(folderOfTest('host'), 'sessions.db');
  const host = sqliteHost({ path });
  const ending = new AbortController();
  onTestFinished(async () => {
    ending.abort();
    await host.stop();
  });
  const ids = Array.from({ length: 50 }, (_, i) => `s${i}`);
  for (const sessionId of ids)
    await host.submit({ owner: 'anna', agent: 'clerk', sessionId }, { id: 'c1', type: 'send' }, 'anna');
  const begun: string[] = [];
  let [reading, most] = [0, 0];
  await host.start(async ({ sessionId }, { sessions }) => {
    const at = begun.push(sessionId);
    reading += 1;
    most = Math.max(most, reading);
    await sleep(5);
    // Some end without a look at their session, and the others go on for long.
    if (at % 3 > 0) await sessions.load(sessionId);
    reading -= 1;
    if (at % 3 > 0) await sleep(60_000, undefined, { signal: ending.signal });
  });
  await expect.poll(() => begun.length, { timeout: 10_000 }).toBe(ids.length);
  expect(begun).toEqual(ids);
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(16);
});

it('a second host that waits in vain says which sessions another process runs', async () => {
  const path = join(folderOfTest('host'), 'sessions.db');
  const [first, second] = [sqliteHost({ path }), sqliteHost({ path, waitMs: 100 })];
  onTestFinished(async () => void (await Promise.all([first.stop(), second.stop()])));
  await first.start(async () => undefined);
  await expect(second.start(async () => undefined)).rejects.toMatchObject({
    code: 'session-storage',
    message: expect.stringMatching(
      /Another process runs the sessions in .*sessions\.db, and did not stop within 100 ms/,
    ) as string,
  });
});

it('a host refuses a database in memory, a folder that does not exist, and calls after it stopped, in sentences', async () => {
  expect(() => sqliteHost({ path: ':memory:' })).toThrow(/give the path of a file/);
  const lost = sqliteHost({ path: '/nowhere/at/all/sessions.db' });
  await expect(lost.start(async () => undefined)).rejects.toThrow(
    /cannot be opened: .* See that the folder exists/,
  );
  const host = sqliteHost({ path: join(folderOfTest('host'), 'sessions.db') });
  await host.stop();
  await expect(host.pending({ owner: 'a', agent: 'a', sessionId: 'a' })).rejects.toThrow(/was stopped/);
});
