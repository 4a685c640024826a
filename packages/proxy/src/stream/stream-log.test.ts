import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LogStorage, logStorages } from './log-storages.fixture.ts';
import { postgresStreamLog } from './postgres/postgres-stream-log.ts';
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

it('a log in PostgreSQL takes no prefix that is no name', () => {
  const pool = new pg.Pool();
  expect(() => postgresStreamLog({ pool, prefix: 'a"; DROP TABLE x' })).toThrow(/prefix/);
});
