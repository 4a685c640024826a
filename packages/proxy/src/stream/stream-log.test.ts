import assert from 'node:assert/strict';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LogStorage, logStorages } from './log-storages.fixture.ts';
import { postgresStreamLog } from './postgres-stream-log.ts';
import { redisStreamLog } from './redis-stream-log.ts';
import { defaultLogLimits, logLimits } from './stream-log.ts';
import { streamLogLaws } from './stream-log-laws.fixture.ts';

describe.each(Object.keys(logStorages))('a log of streams in %s', { timeout: 30_000 }, (name) => {
  let storage: LogStorage | null = null;
  let spaces = 0;
  beforeAll(async () => {
    storage = (await logStorages[name]?.()) ?? null;
  }, 200_000);
  afterAll(() => storage?.stop());

  it.for(streamLogLaws)('$name', async ({ run, limits = {} }, { skip }) => {
    if (storage === null) return skip(`${name} cannot be had here`);
    const space = `law${spaces++}`;
    await run({ here: storage.open(space, limits), there: storage.open(space, limits) });
  });
});

it('a log in PostgreSQL refuses a prefix that is no name', () => {
  const pool = new pg.Pool();
  expect(() => postgresStreamLog({ pool, prefix: 'a"; DROP TABLE x' })).toThrow(/prefix/);
});

it('a stream ends in PostgreSQL even if no room can be made afterwards', async () => {
  const query = async (text: string): Promise<{ rows: Record<string, unknown>[] }> => {
    if (text.startsWith('DELETE')) throw new Error('deadlock detected');
    return { rows: [{}] };
  };
  const log = postgresStreamLog({ pool: { query, connect: () => Promise.reject(new Error('none')) } });
  expect(await log.append('s', ['1'], { ends: true })).toBe(true);
});

it('a stream ends in Redis even if no room can be made afterwards', async () => {
  const sendCommand = async (args: string[]): Promise<number> => {
    if (args[3]?.includes('{finished}')) throw new Error('BUSY Redis is busy running a script');
    return 1;
  };
  const log = redisStreamLog({ client: { sendCommand, duplicate: () => assert.fail('not watched') } });
  expect(await log.append('s', ['1'], { ends: true })).toBe(true);
});

it('an undefined limit of a log has its default', () => {
  const given: object = { finishedBytes: undefined, finishedMs: undefined };
  expect(logLimits(given)).toEqual(defaultLogLimits);
});
