import type { ChildProcessByStdio } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { folderOfTest } from '../../../../tests/folder-of-test.ts';
import type { RunSession, SessionAddress, SessionHost } from '../host/session-host.ts';
import { spawnFixture } from '../testing/spawn-fixture.fixture.ts';
import { dbosHost } from './dbos-host.ts';
import { hostDatabases, noPostgres } from './host-databases.fixture.ts';
import { textOf } from './query-text.fixture.ts';

const newDatabase = hostDatabases();
const runs = Number(process.env['PROVE_RUNS'] ?? 3);
const timeout = 3_600_000;
/** The `deadMs` of the processes. */
const deadMs = 1000;

type HostProcess = ChildProcessByStdio<null, Readable, null> & { readonly said: () => readonly string[] };

const children = new Set<{ readonly kill: (signal: 'SIGKILL') => boolean }>();
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
});

type Place = { readonly url: string; readonly log: string; readonly giver: SessionHost };

/** A new database with a host that only gives commands; null where there is no PostgreSQL. */
async function newPlace(content: 'tables' | 'empty' = 'tables'): Promise<Place | null> {
  const url = await newDatabase(content);
  if (url === null) return null;
  const giver = dbosHost({ url, version: '1', deadMs });
  onTestFinished(() => giver.stop({ graceMs: 0 }));
  return { url, log: join(folderOfTest('host'), 'log.txt'), giver };
}

async function startHost(
  { url, log }: Place,
  ms: number,
  version = '1',
  stopsIn: 'transaction' | '' = '',
): Promise<HostProcess> {
  const script = new URL('host-process.fixture.ts', import.meta.url);
  const child = spawnFixture(script, [url, log, String(ms), version, stopsIn]);
  children.add(child);
  let text = '';
  child.stdout.on('data', (data: Buffer) => (text += data.toString()));
  const host = Object.assign(child, { said: () => text.split('\n').slice(0, -1) });
  await expect.poll(() => host.said(), { timeout: 30_000 }).toContain('ready');
  return host;
}

/** Counts the queries of this process from now on whose text matches. @returns the function that tells the number */
function countQueries(text: RegExp): () => number {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  onTestFinished(() => query.mockRestore());
  return () => query.mock.calls.filter(([asked]) => text.test(textOf(asked))).length;
}

const ended = (child: HostProcess): Promise<unknown> =>
  new Promise((resolve) => child.once('close', resolve));

const sessionOf = (sessionId: string): SessionAddress => ({ owner: 'anna', agent: 'clerk', sessionId });

/**
 * The effects that were done, as `session command`, by their epoch: a process that was stopped in an effect ends it when it
 * goes on, after those of the process that took over.
 */
function effects({ log }: Place): readonly string[] {
  if (!existsSync(log)) return [];
  const lines = readFileSync(log, 'utf8').trim().split('\n');
  const epoch = (line: string): number => Number(line.split(' ')[1]);
  return lines.toSorted((a, b) => epoch(a) - epoch(b)).map((line) => line.split(' ').slice(2).join(' '));
}

async function give({ giver }: Place, sessionId: string, id: string): Promise<void> {
  await giver.submit(sessionOf(sessionId), { id, type: 'send' }, 'anna');
}

it(
  'every command is answered and no effect happens twice, whatever is killed or stopped',
  { timeout },
  async ({ skip }) => {
    const place = await newPlace('empty');
    if (place === null) return skip(noPostgres);
    const sessions = ['s1', 's2', 's3', 's4'];
    // They make the tables of the empty database at once.
    const hosts = await Promise.all([startHost(place, 10), startHost(place, 10)]);
    let given = 0;
    let hits = 0;
    for (let run = 0; run < runs; run++) {
      // Each command is given twice, as a client does that has lost the response.
      const ids = Array.from({ length: 10 }, () => `c${String(given++).padStart(6, '0')}`);
      const giving = sessions.flatMap((session) =>
        ids.flatMap(
          (id) =>
            [
              [session, id],
              [session, id],
            ] as const,
        ),
      );
      const all = (async () => {
        for (const [session, id] of giving) await give(place, session, id);
      })();
      await sleep(Math.random() * 1200);
      const index = Math.floor(Math.random() * hosts.length);
      const host = hosts[index];
      if (host === undefined) continue;
      hits++;
      if (run % 2 === 0) {
        const over = ended(host);
        host.kill('SIGKILL');
        await over;
        hosts[index] = await startHost(place, 10);
      } else {
        host.kill('SIGSTOP');
        await sleep(deadMs + 500 + Math.random() * 1000);
        host.kill('SIGCONT');
      }
      await all;
    }
    for (const session of sessions)
      await expect.poll(() => place.giver.pending(sessionOf(session)), { timeout: 60_000 }).toEqual([]);
    const done = effects(place);
    expect(done.length).toBe(new Set(done).size);
    // An effect that had begun when its process died is not done again: it is interrupted.
    expect(done.length).toBeGreaterThanOrEqual(given * sessions.length - hits * sessions.length);
    const inOrder = sessions.map((session) => done.filter((line) => line.startsWith(`${session} `)));
    expect(inOrder.map((lines) => lines.toSorted())).toEqual(inOrder);
    for (const host of hosts) {
      const over = ended(host);
      host.kill('SIGTERM');
      await over;
      expect(host.exitCode).toBe(0);
    }
  },
);

for (const [what, stopsIn, signal, mostMs] of [
  ['killed in an effect', '', 'SIGKILL', 5000],
  ['stopped in an effect', '', 'SIGSTOP', deadMs + 2000],
  ['stopped inside a transaction', 'transaction', null, deadMs + 2000],
] as const)
  it(
    `a process that is ${what} is replaced within the looks of its bound, and no effect happens twice`,
    { timeout },
    async ({ skip }) => {
      const place = await newPlace();
      if (place === null) return skip(noPostgres);
      const first = await startHost(place, 600_000, '1', stopsIn);
      await give(place, 's1', 'a');
      if (signal === null) await expect.poll(() => first.said(), { timeout: 30_000 }).toContain('stops');
      else await expect.poll(() => effects(place), { timeout: 30_000 }).toEqual(['s1 a']);
      // The other one runs here, where its looks for dead processes can be counted: how long they take is the machine's.
      const looks = countQueries(/^DELETE FROM vitrine_host_executors/);
      const begun = new Promise<number>((resolve) => {
        const run: RunSession = async (address) => {
          resolve(looks());
          for (const { command } of await place.giver.pending(address))
            await place.giver.answer(
              address,
              command.id,
              { turn: null, error: null },
              Number.MAX_SAFE_INTEGER,
            );
        };
        void place.giver.start(run).then(() => (signal === null ? undefined : first.kill(signal)));
      });
      const count = await begun;
      expect(count).toBeGreaterThan(0);
      expect(count).toBeLessThanOrEqual(mostMs / (deadMs / 5));
      await expect.poll(() => place.giver.pending(sessionOf('s1')), { timeout: 10_000 }).toEqual([]);
      // Whoever was stopped while it took the session had begun nothing.
      expect(effects(place)).toEqual(signal === null ? [] : ['s1 a']);
    },
  );

it('a stopped process that comes back takes part again', { timeout }, async ({ skip }) => {
  const place = await newPlace();
  if (place === null) return skip(noPostgres);
  const first = await startHost(place, 600_000);
  const second = await startHost(place, 5);
  first.kill('SIGSTOP');
  await sleep(2 * deadMs);
  first.kill('SIGCONT');
  await sleep(2 * deadMs);
  const over = ended(second);
  second.kill('SIGTERM');
  await over;
  await give(place, 's1', 'a');
  await expect.poll(() => effects(place), { timeout: 10_000 }).toEqual(['s1 a']);
});
