import { setTimeout as sleep } from 'node:timers/promises';
import { httpSessions } from '@vitrine/persist';
import { loadedSession } from '@vitrine/core';
import { blankSession } from '@vitrine/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPostgres } from '../servers/start-postgres.ts';
import { startRedis } from '../servers/start-redis.ts';
import type { TestServer } from '../servers/test-server.ts';
import { ask, codeOf, outcomeOf } from './ask.ts';
import { killUnderStreams } from './kill-under-streams.ts';
import { raceToWrite, textsIn } from './race-to-write.ts';
import { type Fleet, startFleet } from './start-fleet.ts';

/** Processes that are killed under streams: few in `npm test`, 1,000 in `npm run prove -- fleets`. */
const kills = Number(process.env['PROVE_KILLS'] ?? 2);
const timeout = 120_000 + kills * 30_000;

describe.each([
  ['Redis', startRedis],
  ['PostgreSQL', startPostgres],
] as const)('three processes over %s', (name, startServer) => {
  let server: TestServer | null = null;
  let fleet: Fleet | null = null;
  beforeAll(async () => {
    server = await startServer();
    if (server !== null) fleet = await startFleet(server.url);
  }, 300_000);
  afterAll(async () => {
    await fleet?.stop();
    await server?.stop();
  });

  /** A test of the three, which is left out where the server cannot be had. */
  const together = (title: string, run: (fleet: Fleet) => Promise<void>): void =>
    it(title, { timeout }, async ({ skip }) =>
      fleet === null ? skip(`there is no ${name} on this machine`) : run(fleet),
    );

  together('lose no event of a stream when one of them is killed', async (three) => {
    let resumed = 0;
    for (let round = 0; round < kills; round++) resumed += await killUnderStreams(three, round);
    expect(resumed).toBeGreaterThan(0);
  });

  together('let so many answers of a person run at once, whoever is asked', async ({ url }) => {
    const asked = await Promise.all(Array.from({ length: 30 }, () => ask(url, 'all at once', 'p:slow')));
    const codes = await Promise.all(asked.map(codeOf));
    expect(codes.filter((code) => code === 'too-many-streams')).toHaveLength(30 - 8);
    await Promise.all(asked.map(async ({ body, bodyUsed }) => (bodyUsed ? null : body?.cancel())));
    expect(codes.filter((code) => code === null)).toHaveLength(8);
  });

  together('count the requests of a person together, also of one that is killed', async (three) => {
    const counts = { admitted: 0, refused: 0, lost: 0 };
    const replaced: Promise<void>[] = [];
    const askSome = async (): Promise<void> => {
      for (let asked = 0; asked < 8; asked++) {
        counts[await outcomeOf(three.url, 'too much')]++;
        if (counts.admitted === 6 && replaced.length === 0) replaced.push(three.kill(1).replaced);
      }
    };
    await Promise.all(Array.from({ length: 6 }, askSome));
    await Promise.all(replaced);
    expect(replaced).toHaveLength(1);
    expect(counts.admitted).toBeLessThanOrEqual(20);
    // Nobody knows whether a request counted whose answer was lost.
    expect(counts.admitted + counts.lost).toBeGreaterThanOrEqual(20);
    expect(counts.refused).toBeGreaterThanOrEqual(8);
  });

  if (name === 'PostgreSQL')
    together('keep the versions of a session that all of them write', async (three) => {
      const place = { url: three.url, user: 'writer', id: 'shared' };
      const store = httpSessions({ url: three.url, headers: { 'x-user': place.user } });
      const first = await store.save(blankSession(place.id), { expectedVersion: 0 });
      const writing = Promise.all(['a', 'b', 'c'].map((writer) => raceToWrite(place, writer, 15)));
      for (let index = 0; index < 3; index++) {
        await sleep(100 + Math.random() * 200);
        await three.kill(index).replaced;
      }
      const written = await writing;
      const stored = loadedSession(await store.load(place.id));
      const texts = stored === null ? [] : textsIn(stored);
      for (const [index, writer] of ['a', 'b', 'c'].entries())
        expect(texts.filter((text) => text.startsWith(writer))).toEqual(written[index]?.texts);
      expect(texts).toHaveLength(45);
      expect(stored?.version).toBe(first + 45);
      const versions = written.flatMap((one) => one.versions);
      expect(new Set(versions).size).toBe(versions.length);
    });
});
