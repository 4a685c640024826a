import { DBOSExecutor } from '@dbos-inc/dbos-sdk/internal/dbos-executor';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createAgentSession } from '@vitrine/core';
import { openPool } from '../../../../tests/servers/open-pool.ts';
import { keyOf, type SessionAddress } from '../host/session-host.ts';
import { approveOne, serveClerk } from '../served-clerk.fixture.ts';
import type { HostUnderTest } from '../testing/host-law.ts';
import { spawnFixture } from '../testing/spawn-fixture.fixture.ts';
import { testSessionHost } from '../testing/test-session-host.ts';
import { dbosHost } from './dbos-host.ts';
import { openHostDatabase } from './host-database.ts';
import { hostDatabases, noPostgres } from './host-databases.fixture.ts';
import { effectRecords } from './host-effects.ts';
import { addWake, endEpoch, takeWake } from './host-rows.ts';
import { chunksOf, createBatchJoiner } from './notify-bus.ts';

const newDatabase = hostDatabases();
const timeout = 120_000;
const isProof = Number(process.env['PROVE_RUNS'] ?? 0) >= 1000;
const address: SessionAddress = { owner: 'anna', agent: 'clerk', sessionId: 's1' };

describe('the laws of session hosts, in DBOS', () => {
  const hosts = (url: string) => (): HostUnderTest => {
    const open = () => dbosHost({ url, version: '1', deadMs: 1000 });
    return {
      host: open(),
      reopen: open,
      spawn: ({ log, ms, version = '1', stopsIn = '' }) =>
        spawnFixture(new URL('host-process.fixture.ts', import.meta.url), [
          url,
          log,
          String(ms),
          version,
          stopsIn,
        ]),
      records(address, epoch) {
        const database = openHostDatabase(url, 'another', 3000);
        onTestFinished(() => database.close());
        return effectRecords(database, address, epoch);
      },
    };
  };
  const lawsOf = (url: string) =>
    testSessionHost(hosts(url), {
      replaces: ['SIGKILL', 'SIGSTOP', 'transaction'],
      versions: ['1', '2'],
      kills: isProof ? Infinity : 4,
    });
  for (const { name } of lawsOf(''))
    it(name, { timeout }, async ({ skip }) => {
      const url = await newDatabase();
      if (url === null) return skip(noPostgres);
      const law = lawsOf(url).find((check) => check.name === name);
      await law?.run();
    });
});

it('the function inside DBOS that lets a living process take over is there, in the pinned version', () => {
  const manifest = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
  const { version } = manifest('../../../../node_modules/@dbos-inc/dbos-sdk/package.json');
  expect(manifest('../../package.json').peerDependencies['@dbos-inc/dbos-sdk']).toBe(version);
  expect(DBOSExecutor.prototype.recoverPendingWorkflows).toBeTypeOf('function');
  expect(DBOSExecutor).toHaveProperty('globalInstance');
});

it(
  'a message of any size and script reaches the listeners of another process',
  { timeout },
  async ({ skip }) => {
    const url = await newDatabase();
    if (url === null) return skip(noPostgres);
    const [one, other] = [dbosHost({ url, version: '1' }), dbosHost({ url, version: '1' })];
    onTestFinished(async () => void (await Promise.all([one.stop(), other.stop()])));
    const heard: unknown[] = [];
    other.bus.listen(address, (message) => heard.push(message));
    const said = ['kurz', 'é😀\u0000'.repeat(5000), { text: 'x'.repeat(40_000) }, 1, 1];
    // It listens once its connection is open.
    for (; heard.length === 0; await sleep(50)) one.bus.say(address, 'first');
    await sleep(200);
    heard.length = 0;
    for (const message of said) one.bus.say(address, message);
    await expect.poll(() => heard, { timeout: 5000 }).toEqual(said);
  },
);

it(
  'a message is said once a frame to the database, however many follow in how many processes',
  { timeout },
  async ({ skip }) => {
    const url = await newDatabase();
    if (url === null) return skip(noPostgres);
    const hosts = [dbosHost({ url, version: '1' }), dbosHost({ url, version: '1' })] as const;
    const raw = new pg.Client({ connectionString: url });
    onTestFinished(async () => void (await Promise.all([...hosts.map((host) => host.stop()), raw.end()])));
    const notified: string[] = [];
    raw.on('notification', ({ payload = '' }) => notified.push(payload));
    await raw.connect();
    await raw.query(
      `LISTEN vitrine_${createHash('sha256').update(keyOf(address)).digest('hex').slice(0, 40)}`,
    );
    const heard: unknown[] = [];
    for (const { bus } of hosts)
      for (let i = 0; i < 5; i++) bus.listen(address, (message) => heard.push(message));
    for (; heard.length < 10; await sleep(50)) hosts[0].bus.say(address, 'first');
    await sleep(200);
    [heard.length, notified.length] = [0, 0];
    for (let i = 0; i < 20; i++, await sleep(2)) hosts[0].bus.say(address, `delta ${i}`);
    await expect.poll(() => heard.length, { timeout: 5000 }).toBe(200);
    for (let i = 0; i < 20; i++)
      expect(notified.filter((payload) => payload.includes(`"delta ${i}"`))).toHaveLength(1);
  },
);

it('a batch of which a part is missing is dropped, and the next one is whole', () => {
  const receive = createBatchJoiner();
  const [long, short] = [chunksOf('a 1', ['y'.repeat(20_000)]), chunksOf('a 2', ['z'])];
  expect(long.length).toBe(3);
  expect([long[0], long[2], ...short].flatMap((payload) => receive('c', payload ?? ''))).toEqual(['z']);
  expect(long.flatMap((payload) => receive('c', payload))).toEqual(['y'.repeat(20_000)]);
});

it(
  'a change of a session that stops in the middle is ended by the database, and others go on',
  { timeout },
  async ({ skip }) => {
    const url = await newDatabase();
    if (url === null) return skip(noPostgres);
    const [stopped, other] = [openHostDatabase(url, 'stopped', 500), openHostDatabase(url, 'other', 500)];
    onTestFinished(async () => void (await Promise.all([stopped.close(), other.close()])));
    const order: string[] = [];
    const refused = expect(
      stopped.change(address, () => sleep(3000).then(() => order.push('stopped'))),
    ).rejects.toMatchObject({ code: 'session-storage' });
    await sleep(100);
    await other.change(address, async () => order.push('other'));
    await refused;
    expect(order).toEqual(['other', 'stopped']);
  },
);

it(
  'a write waits for a change that ends its epoch, and then writes nothing',
  { timeout },
  async ({ skip }) => {
    const url = await newDatabase();
    if (url === null) return skip(noPostgres);
    const [old, other] = [openHostDatabase(url, 'old', 3000), openHostDatabase(url, 'other', 3000)];
    onTestFinished(async () => void (await Promise.all([old.close(), other.close()])));
    const taken = await takeWake(old, address, (await addWake(old.rows, address, 0)).n);
    const epoch = taken !== null && 'epoch' in taken ? taken.epoch : 0;
    await old.pool.query(
      `CREATE TABLE written (n int);
       CREATE FUNCTION write_one(n int) RETURNS boolean LANGUAGE sql AS 'INSERT INTO written VALUES (n) RETURNING true'`,
    );
    const write = (n: number) => old.inEpoch(epoch, 'SELECT write_one($1) AS done', [n]);
    expect(await write(1)).toEqual({ done: true });
    let late = Promise.resolve<unknown>('not asked');
    let isAnswered = false;
    await other.change(address, async (rows) => {
      await endEpoch(rows, epoch);
      late = write(2).finally(() => (isAnswered = true));
      await sleep(300);
      expect(isAnswered).toBe(false);
    });
    expect(await late).toBe(null);
    expect(await write(3)).toBe(null);
    expect(await old.rows('SELECT n FROM written')).toEqual([{ n: 1 }]);
  },
);

it('ended workflows do not stay in the tables of DBOS', { timeout }, async ({ skip }) => {
  const url = await newDatabase();
  if (url === null) return skip(noPostgres);
  const host = dbosHost({ url, version: '1', deadMs: 500 });
  const pool = openPool(url);
  onTestFinished(async () => void (await Promise.all([host.stop({ graceMs: 0 }), pool.end()])));
  let runs = 0;
  await host.start(async () => void runs++);
  await host.wakeAt(address, 0);
  await expect.poll(() => runs, { timeout: 5000 }).toBe(1);
  const ended = async () =>
    (await pool.query("SELECT FROM dbos.workflow_status WHERE status = 'SUCCESS'")).rowCount;
  await expect.poll(ended, { timeout: 5000 }).toBe(1);
  await pool.query('UPDATE dbos.workflow_status SET completed_at = completed_at - 3600000');
  await expect.poll(ended, { timeout: 5000 }).toBe(0);
});

it(
  'a second host of a process, an empty version and a stopped host are refused in sentences',
  { timeout },
  async ({ skip }) => {
    expect(() => dbosHost({ url: '', version: '' })).toThrow(/give a text/);
    const url = await newDatabase();
    if (url === null) return skip(noPostgres);
    const [one, other] = [dbosHost({ url, version: '1' }), dbosHost({ url, version: '1' })];
    onTestFinished(() => other.stop());
    await one.start(async () => undefined);
    await expect(other.start(async () => undefined)).rejects.toThrow(/there is one of it in a process/);
    await one.stop();
    await expect(one.pending(address)).rejects.toThrow(/was stopped/);
    const lost = dbosHost({ url: 'postgres://postgres@127.0.0.1:1/none', version: '1' });
    onTestFinished(() => lost.stop());
    await expect(lost.start(async () => undefined)).rejects.toMatchObject({ code: 'session-storage' });
  },
);

it(
  'a process that runs no session needs no rights on the tables of DBOS, and others run what it takes',
  { timeout },
  async ({ skip }) => {
    const url = await newDatabase();
    if (url === null) return skip(noPostgres);
    const role = `web_${crypto.randomUUID().slice(0, 8)}`;
    const pool = openPool(url);
    await pool.query(`CREATE ROLE ${role} LOGIN PASSWORD 'web'; GRANT USAGE ON SCHEMA public TO ${role};
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`);
    const webUrl = Object.assign(new URL(url), { username: role, password: 'web' }).href;
    const asWeb = openPool(webUrl);
    onTestFinished(async () => {
      await asWeb.end();
      await pool.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
      await pool.end();
    });
    await expect(asWeb.query('SELECT FROM dbos.workflow_status')).rejects.toThrow(/permission denied/);
    const web = await serveClerk({ host: dbosHost({ url: webUrl, version: '1', runs: false }) });
    const runner = await serveClerk({ host: dbosHost({ url, version: '1', deadMs: 1000 }) });
    const { agents, sessions } = web.remoteOf('anna');
    const phone = createAgentSession({ agent: agents.clerk, sessions, sessionId: 's1' });
    onTestFinished(async () => void (await phone.dispose()));
    await phone.sendMessage('pay:a refund:b');
    expect(await approveOne(phone)).toMatchObject({ status: 'done', outcome: 'completed' });
    expect([web.deeds, runner.deeds]).toEqual([[], ['pay a', 'refund b']]);
    await phone.rename('Paid');
    const { sessions: listed } = await sessions.list();
    expect(listed.map(({ title }) => title)).toEqual(['Paid']);
  },
);

it('a process that runs no session makes no tables, and says what has to', { timeout }, async ({ skip }) => {
  const url = await newDatabase('empty');
  if (url === null) return skip(noPostgres);
  const web = dbosHost({ url, version: '1', runs: false });
  onTestFinished(() => web.stop());
  await expect(web.pending(address)).rejects.toThrow(/Start one that runs sessions first/);
  const pool = openPool(url);
  onTestFinished(() => pool.end());
  const { rows } = await pool.query("SELECT FROM pg_class WHERE relname LIKE 'vitrine%'");
  expect(rows).toEqual([]);
});
