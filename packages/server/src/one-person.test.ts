import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
// oxlint-disable-next-line vitrine/direction -- the counters of work have no public name
import { work, workUnits } from '../../core/src/kit/work.ts';
import { folderOfTest } from '../../../tests/folder-of-test.ts';
import { openPool } from '../../../tests/servers/open-pool.ts';
import { dbosHost } from './dbos/dbos-host.ts';
import { hostDatabases, noPostgres } from './dbos/host-databases.fixture.ts';
import type { SessionHost } from './host/session-host.ts';
import { type ServedClerk, serveClerk } from './served-clerk.fixture.ts';
import { sqliteHost } from './sqlite/sqlite-host.ts';

const mebibyte = 1024 * 1024;
const limits = { sessions: 4, bytes: 3 * mebibyte, commandBytes: mebibyte };
/** The numbers of the guide: what runs and commands that end something may take, and what a file and a process need. */
const reserve = 32 * mebibyte;
const mostStored = limits.bytes + reserve;
const mostOnDisk = 3 * mostStored;
const mostMemory = 512 * mebibyte;
const mostWork = 3 * limits.bytes;
/** Runs of one person at once; the work of a step may be done while a later one waits for its answer. */
const concurrent = 2;

/** The rows of one person, as the database has them, and as it counts them. */
type Kept = {
  readonly rows: number;
  readonly bytes: number;
  readonly counted: number;
  readonly sessions: number;
};
type Store = { readonly host: SessionHost; readonly kept: () => Promise<Kept>; readonly disk: () => number };

const hostTables = (prefix: string): string =>
  [`${prefix}host_commands`, `${prefix}host_wakes`, `${prefix}host_epochs`, `${prefix}host_effects`]
    .map((table) => `(SELECT count(*) FROM ${table} WHERE owner = 'anna')`)
    .join(' + ');

/** A query for {@link Kept} over the tables of a host. */
function keptQuery({
  sessions,
  rows,
  records,
  files,
  usage,
  prefix,
}: Readonly<Record<string, string>>): string {
  const of = `JOIN ${sessions} AS own ON own.key = part.session WHERE own.owner = 'anna'`;
  const text = (table: string): string =>
    `coalesce((SELECT sum(octet_length(part.text)) FROM ${table} AS part ${of}), 0)`;
  return `SELECT ${hostTables(prefix ?? '')}
      + (SELECT count(*) FROM ${rows} AS part ${of}) + (SELECT count(*) FROM ${records} AS part ${of})
      + (SELECT count(*) FROM ${sessions} WHERE owner = 'anna') + (SELECT count(*) FROM ${files} WHERE owner = 'anna') AS rows,
    ${text(rows ?? '')} + ${text(records ?? '')}
      + coalesce((SELECT sum(octet_length(head)) FROM ${sessions} WHERE owner = 'anna'), 0)
      + coalesce((SELECT sum(octet_length(bytes)) FROM ${files} WHERE owner = 'anna'), 0)
      + coalesce((SELECT sum(octet_length(command) + coalesce(octet_length(answer), 0)) FROM ${prefix}host_commands
          WHERE owner = 'anna'), 0) AS bytes,
    coalesce((SELECT bytes FROM ${usage} WHERE owner = 'anna'), 0) AS counted,
    coalesce((SELECT sessions FROM ${usage} WHERE owner = 'anna'), 0) AS sessions`;
}

const numbers = (found: Readonly<Record<string, unknown>> | undefined): Kept => ({
  rows: Number(found?.['rows']),
  bytes: Number(found?.['bytes']),
  counted: Number(found?.['counted']),
  sessions: Number(found?.['sessions']),
});

function inSqlite(): Store {
  const path = join(folderOfTest('person'), 'sessions.db');
  const names = {
    sessions: 'sessions',
    rows: 'rows',
    records: 'records',
    files: 'files',
    usage: 'usage',
    prefix: '',
  };
  return {
    host: sqliteHost({ path }),
    async kept() {
      const database = new DatabaseSync(path, { readOnly: true });
      const found = database.prepare(keptQuery(names)).get();
      database.close();
      return numbers(found);
    },
    disk: () =>
      readdirSync(dirname(path)).reduce((sum, name) => sum + statSync(join(dirname(path), name)).size, 0),
  };
}

function inPostgres(url: string): Store {
  const pool = openPool(url, { max: 1 });
  onTestFinished(() => pool.end());
  const session = (name: string): string => `vitrine_session_${name}`;
  const names = {
    sessions: 'vitrine_sessions',
    rows: session('rows'),
    records: session('records'),
    files: session('files'),
    usage: session('usage'),
    prefix: 'vitrine_',
  };
  return {
    host: dbosHost({ url, version: '1' }),
    kept: async () => numbers((await pool.query<Record<string, unknown>>(keptQuery(names))).rows[0]),
    // PostgreSQL gives space back in its own time.
    disk: () => 0,
  };
}

const size = fc.oneof(
  { weight: 3, arbitrary: fc.nat(200) },
  fc.nat(20_000),
  fc.integer({ min: 100_000, max: 900_000 }),
);
const session = fc.constantFrom('s0', 's1', 's2', 's3', 's4', 's5', 's6');
const text = size.map((length) => 'x'.repeat(length));
const command = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('send'),
      message: fc.record({ text }),
      options: fc.constant({}),
      onBusy: fc.constantFrom('queue', 'interrupt', 'steer'),
    }),
  },
  fc.record({ type: fc.constantFrom('retry', 'reset', 'clear-error') }),
  { weight: 3, arbitrary: fc.record({ type: fc.constant('fork'), sessionId: session }) },
  fc.record({ type: fc.constant('stop'), message: text }),
  fc.record({ type: fc.constant('rename'), title: text }),
  fc.record({ type: fc.constant('set-draft'), draft: text }),
  fc.record({ type: fc.constant('cancel-queued'), queuedId: text }),
  fc.record({ type: fc.constant('continue'), grant: fc.constant(null), at: fc.constant(1) }),
  fc.record({ type: fc.constant('answer'), decisions: fc.record({ call: fc.record({ output: text }) }) }),
  fc.record({
    type: fc.constant('move'),
    kind: fc.constant('regenerate'),
    messageId: fc.constant(null),
    message: fc.constant(null),
    options: fc.constant({}),
    at: fc.constant(1),
  }),
);
type Step = { readonly session: string; readonly does: 'DELETE' | 'GET' | Readonly<Record<string, unknown>> };
const step: fc.Arbitrary<Step> = fc.record({
  session,
  does: fc.oneof(
    { weight: 12, arbitrary: command },
    fc.constant('DELETE' as const),
    fc.constant('GET' as const),
  ),
});

/** The units of work so far: characters read, values walked and items copied. */
const workDone = (): number => work.units + work.copied + workUnits();

let given = 0;

/** Does a step. @returns its status */
async function done({ url }: ServedClerk, { session: id, does }: Step): Promise<number> {
  const isCommand = typeof does === 'object';
  const body = isCommand ? JSON.stringify({ id: `c${given++}`, ...does }) : undefined;
  const response = await fetch(`${url}/agents/clerk/sessions/${id}${isCommand ? '/commands' : ''}`, {
    method: isCommand ? 'POST' : does,
    headers: { authorization: 'Bearer anna', 'content-type': 'application/json' },
    ...(body !== undefined && { body }),
  });
  await response.arrayBuffer();
  return response.status;
}

/** The steps of one person, in their order, and what is kept after each few of them. */
async function act(
  { host, kept, disk }: Store,
  seed: number,
  goesOn: (steps: number) => boolean,
): Promise<void> {
  const served = await serveClerk({ host, limits, quotas: { concurrent } });
  const before = process.memoryUsage().rss;
  const random = fc.sample(step, { numRuns: 1000, seed });
  let allowed = concurrent * mostWork;
  for (let at = 0; goesOn(at); at++) {
    const next = random[at % random.length];
    if (next === undefined) return;
    const worked = workDone();
    const status = await done(served, next);
    const what = `step ${at} of ${seed}: ${JSON.stringify(next).slice(0, 100)}`;
    const isFree = typeof next.does === 'string' || ['stop', 'answer'].includes(String(next.does['type']));
    expect(status, what).toBeLessThan(500);
    allowed = Math.min(allowed, concurrent * mostWork) + mostWork - (workDone() - worked);
    expect(allowed, what).toBeGreaterThan(0);
    if (isFree) expect([403, 429], what).not.toContain(status);
    if (at % 5 > 0) continue;
    const found = await kept();
    expect(found.sessions, what).toBeLessThanOrEqual(limits.sessions);
    expect(found.counted, what).toBeLessThanOrEqual(mostStored);
    expect(found.bytes + 256 * found.rows, what).toBeLessThanOrEqual(found.counted);
    expect(disk(), what).toBeLessThanOrEqual(mostOnDisk);
    expect(process.memoryUsage().rss - before, what).toBeLessThan(mostMemory);
  }
}

/** A few steps in `npm test`, and a minute of them for each seed in `npm run prove -- laws`. */
const isProof = Number(process.env['PROVE_RUNS'] ?? 0) >= 1000;
const seeds = isProof ? [1, 2, 3].map(() => Math.floor(Math.random() * 2 ** 31)) : [1];
function during(): (steps: number) => boolean {
  const end = performance.now() + 60_000;
  return (steps) => (isProof ? performance.now() < end : steps < 80);
}

describe('one person with random commands of random sizes keeps what the guide says, and no more', () => {
  const newDatabase = hostDatabases();
  const timeout = 300_000;

  it.each(seeds)(
    'a person of a server over SQLite stays within the limits (seed %i)',
    { timeout },
    async (seed) => act(inSqlite(), seed, during()),
  );

  for (const seed of seeds)
    it(
      `a person of a server over PostgreSQL stays within the limits (seed ${seed})`,
      { timeout },
      async ({ skip }) => {
        const url = await newDatabase();
        if (url === null) return skip(noPostgres);
        await act(inPostgres(url), seed, during());
      },
    );
});
