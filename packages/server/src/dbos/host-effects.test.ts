import { effectLog } from '@vitrine/core/stores';
import { type EffectsUnderTest, testEffects } from '@vitrine/core/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SessionAddress } from '../host/session-host.ts';
import { type HostDatabase, openHostDatabase } from './host-database.ts';
import { hostDatabases, noPostgres } from './host-databases.fixture.ts';
import { effectRecords, postgresEffects } from './host-effects.ts';
import { addWake, forget, takeWake } from './host-rows.ts';

const newDatabase = hostDatabases();
const timeout = 120_000;
const address: SessionAddress = { owner: 'anna', agent: 'clerk', sessionId: 's1' };
const isProof = Number(process.env['PROVE_RUNS'] ?? 0) >= 1000;
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

describe('the laws of effect logs, in PostgreSQL', () => {
  let sessions = 0;
  const laws = (both: readonly [HostDatabase, HostDatabase] | null) =>
    testEffects(
      (): EffectsUnderTest => {
        if (both === null) throw new Error(noPostgres);
        const own = { ...address, sessionId: `s${++sessions}` };
        const records = effectRecords(both[0], own, 1);
        return { effects: effectLog(records), reopen: () => postgresEffects(both[1], own, 1), records };
      },
      isProof ? {} : { kills: 4 },
    );
  for (const { name } of laws(null))
    it(name, { timeout }, async ({ skip }) => {
      const both = await twoDatabases();
      if (both === null) return skip(noPostgres);
      const law = laws(both).find((check) => check.name === name);
      expect(await law?.run()).toEqual({ skipped: null });
    });
});

it('a run that was replaced begins no `once` call, and its session is free of the attempt', async ({
  skip,
}) => {
  const both = await twoDatabases();
  if (both === null) return skip(noPostgres);
  const [first, second] = both;
  const epochs: number[] = [];
  for (const database of both) {
    const { n } = await addWake(first.rows, address, 0);
    const taken = await takeWake(database, address, n);
    epochs.push(taken !== null && 'epoch' in taken ? taken.epoch : 0);
  }
  const [old = 0, newer = 0] = epochs;
  expect(newer).toBeGreaterThan(old);
  const refused = postgresEffects(first, address, old).perform(effect, paid, signal);
  await expect(refused).rejects.toMatchObject({ code: 'session-conflict' });
  expect(await postgresEffects(second, address, newer).perform(effect, paid, signal)).toBe('paid');
  await forget(first, 'anna', 's1');
  expect(await first.rows('SELECT FROM vitrine_host_effects')).toEqual([]);
});

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
  const log = postgresEffects({ ...database, rows }, address, 1);
  for (const each of calls) await log.perform(each, paid, signal);
  expect(asked).toEqual(['SELECT key', 'INSERT', 'INSERT', 'INSERT']);
  // A later run uses what is recorded, also of one that was replaced in between.
  const never = (): Promise<string> => Promise.reject(new Error('It is made again.'));
  const later = postgresEffects(other, address, 2);
  for (const each of calls) expect(await later.perform(each, never, signal)).toBe('paid');
});
