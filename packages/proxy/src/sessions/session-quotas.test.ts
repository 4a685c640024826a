import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { httpSessions } from '@vitrine/persist';
import { storedHeadTag } from '@vitrine/persist/internal/rows/head';
import fc from 'fast-check';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openPool } from '../../../../tests/servers/open-pool.ts';
import { startPostgres } from '../../../../tests/servers/start-postgres.ts';
import type { TestServer } from '../../../../tests/servers/test-server.ts';
import { createSessionRoutes } from './create-session-routes.ts';
import { postgresSessions } from './postgres-sessions.ts';
import { recordOf } from './record-of.fixture.ts';
import { overhead, type ServerRows } from './row-pages.ts';
import type { ServerSessions } from './server-sessions.ts';
import type { SessionLimits, SessionRoutes } from './session-routes-options.ts';
import { temporaryDatabase } from './sqlite-faults.fixture.ts';
import { sqliteSessions } from './sqlite/sqlite-sessions.ts';

const runs = Number(process.env['PROVE_RUNS'] ?? 15);
const mebibyte = 1024 * 1024;

function routesOf(store: ServerSessions, limits: Partial<SessionLimits> = {}): SessionRoutes {
  return createSessionRoutes({
    store,
    limits,
    authorize: (request) => ({ id: request.headers.get('x-user') ?? 'anna' }),
    log: () => undefined,
  });
}

/** A request of Anna's below `/v1/sessions`. */
function ask(
  { fetch: send }: SessionRoutes,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Response> {
  const type = body instanceof Uint8Array ? 'application/octet-stream' : 'application/json';
  const sent = body instanceof Uint8Array ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body);
  return send(
    new Request(`http://localhost/v1/sessions${path}`, {
      method,
      ...(body === undefined ? {} : { body: sent }),
      headers: { ...(body === undefined ? {} : { 'content-type': type }), ...headers },
    }),
  );
}

async function codeOf(response: Response): Promise<unknown> {
  return [response.status, ((await response.json()) as { code: unknown }).code];
}

/** The head of an empty session, made by the library. */
async function headOf(id: string): Promise<string> {
  const store = sqliteSessions({ path: ':memory:' });
  await store.save(recordOf(id), { expectedVersion: 0 });
  const head = await store.rows('').head(id);
  await store.close();
  return head?.text ?? '';
}

function openSqlite(): { readonly open: () => ServerSessions; readonly path: string } {
  const { path, erase } = temporaryDatabase();
  const opened: ServerSessions[] = [];
  onTestFinished(async () => {
    await Promise.all(opened.map((store) => store.close()));
    erase();
  });
  return {
    path,
    open() {
      const store = sqliteSessions({ path });
      opened.push(store);
      return store;
    },
  };
}

describe('limits of a principal', () => {
  it('sessions, bytes and heads beyond the limits are refused, and nothing of them is stored', async () => {
    const store = openSqlite().open();
    const routes = routesOf(store, { sessions: 2, bytes: 60_000, headBytes: 2000 });
    const put = async (id: string, text: string, head?: string): Promise<Response> =>
      ask(
        routes,
        'PUT',
        `/${id}`,
        { head: head ?? (await headOf(id)), put: { 'msg.1': text }, drop: 'rest' },
        { 'if-none-match': '*' },
      );
    expect((await put('a', 'x')).status).toBe(204);
    expect(await codeOf(await put('b', 'x', `${await headOf('b')}${' '.repeat(2000)}`))).toEqual([
      413,
      'session-head-too-large',
    ]);
    expect(await codeOf(await put('b', 'x'.repeat(60_000)))).toEqual([507, 'session-quota-exceeded']);
    expect((await put('b', 'x')).status).toBe(204);
    expect(await codeOf(await put('c', 'x'))).toEqual([507, 'session-quota-exceeded']);
    expect([...(await store.rows('anna').heads()).keys()]).toEqual(['a', 'b']);
    // Others have their own limits, and deleting makes room.
    expect((await ask(routes, 'GET', '', undefined, { 'x-user': 'bert' })).status).toBe(200);
    expect((await ask(routes, 'DELETE', '/a')).status).toBe(204);
    expect((await put('c', 'x')).status).toBe(204);
  });

  it('a session can be emptied and deleted while its owner keeps more than the limits allow', async () => {
    const store = openSqlite().open();
    const anna = store.of('anna');
    const version = await anna.save(recordOf('a', 'x'.repeat(1000)), { expectedVersion: 0 });
    const routes = routesOf(store, { sessions: 1, bytes: 100 });
    const head = await store.rows('anna').head('a');
    if (head === null) throw new Error('Nothing was stored.');
    const tag = { 'if-match': `"${storedHeadTag(head)}"` };
    const body = { head: await headOf('a'), put: {}, drop: 'rest' };
    expect([version, (await ask(routes, 'PUT', '/a', body, tag)).status]).toEqual([1, 204]);
    expect((await ask(routes, 'DELETE', '/a')).status).toBe(204);
  });
});

type Write =
  | { readonly kind: 'write' | 'rewrite'; readonly id: string; readonly sizes: readonly number[] }
  | { readonly kind: 'append'; readonly id: string; readonly size: number; readonly sizes: readonly number[] }
  | { readonly kind: 'file'; readonly id: string; readonly size: number }
  | { readonly kind: 'remove'; readonly id: string };

const ids = fc.constantFrom('a', 'b', 'c', 'd', '-a');
const sizes = fc.integer({ min: 0, max: 120_000 });
const writes: fc.Arbitrary<Write> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('write' as const, 'rewrite' as const),
    id: ids,
    sizes: fc.array(sizes, { maxLength: 6 }),
  }),
  fc.record({
    kind: fc.constant('append' as const),
    id: ids,
    size: sizes,
    sizes: fc.array(sizes, { maxLength: 2 }),
  }),
  fc.record({ kind: fc.constant('file' as const), id: ids, size: sizes }),
  fc.record({ kind: fc.constant('remove' as const), id: ids }),
);

const limits = { sessions: 3, bytes: 500_000 };

/** Runs a write whose result does not matter; the stored rows are checked later. */
async function make(rows: ServerRows, write: Write): Promise<void> {
  const { id } = write;
  const expected = await rows.head(id);
  if (write.kind === 'remove') return void (await rows.remove(id));
  if (write.kind === 'file') {
    const bytes = new Uint8Array(write.size).fill(65).buffer;
    const hash = write.size.toString(16).padStart(64, '0');
    return rows.blobs?.put(id, { hash, bytes, mediaType: 'text/plain' });
  }
  if (write.kind === 'append') {
    if (expected === null) return;
    const record = 'r'.repeat(write.size);
    const put = new Map(write.sizes.map((size, at) => [`hed.${at}`, 'h'.repeat(size)]));
    const head = put.size === 0 ? null : `head ${Math.random()}`;
    const drop = head === null || put.has('hed.1') ? [] : ['hed.1'];
    return void (await rows.append(id, { expected, record, head, put, drop, isStrict: false }));
  }
  const put = new Map(write.sizes.map((size, at) => [`msg.${at}`, 'm'.repeat(size)]));
  const isWhole = write.kind === 'rewrite' || expected === null;
  const head = `head ${Math.random()}`;
  const drop = isWhole ? 'rest' : ['msg.0', 'msg.1'].filter((name) => !put.has(name));
  await rows.write(id, { expected, head, put, drop, blobs: [] });
}

/** Two concurrent writers; every write is accepted or refused. */
async function writeAll(stores: readonly ServerSessions[], list: readonly Write[]): Promise<void> {
  await Promise.all(
    stores.map(async (store, index) => {
      const rows = store.rows('anna', limits);
      for (const write of list.filter((_, at) => at % stores.length === index))
        await make(rows, write).catch((error: unknown) => {
          if (!(error instanceof Error && error.name === 'SessionQuotaError')) throw error;
        });
    }),
  );
}

const texts = (table: string): string => `SELECT sum(octet_length(text) + ${overhead.row}) FROM ${table}`;
/** The stored rows of Anna, counted anew. */
const recount = (prefix: string, names: readonly string[]): string => {
  const [sessions = '', rows = '', records = '', files = ''] = names.map((name) => `${prefix}${name}`);
  return `SELECT
    (SELECT count(*) FROM ${sessions} WHERE substr(id, 1, 1) <> '-'
      AND EXISTS (SELECT 1 FROM ${rows} WHERE session = key)) AS sessions,
    coalesce((SELECT sum(octet_length(head) + ${overhead.head}) FROM ${sessions}), 0) + coalesce((${texts(rows)}), 0)
    + coalesce((${texts(records)}), 0)
    + coalesce((SELECT sum(octet_length(bytes) + ${overhead.file}) FROM ${files}), 0) AS bytes`;
};

describe('random writes of one principal by two writers at once', () => {
  it('the sizes stay within the limits in SQLite, and so does its file', { timeout: 3_600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(writes, { minLength: 20, maxLength: 60 }), async (list) => {
        const { path, erase } = temporaryDatabase();
        const stores = [sqliteSessions({ path }), sqliteSessions({ path })];
        try {
          await writeAll(stores, list);
          await Promise.all(stores.map((store) => store.close()));
          const database = new DatabaseSync(path);
          const stored = database
            .prepare(recount('', ['sessions', 'rows', 'records', 'files']))
            .get() as Record<string, number>;
          const counted = database.prepare('SELECT sessions, bytes FROM usage').get() ?? stored;
          database.close();
          expect({ ...counted }).toEqual({ ...stored });
          expect(stored['sessions']).toBeLessThanOrEqual(limits.sessions);
          expect(stored['bytes']).toBeLessThanOrEqual(limits.bytes);
          // The bound of the guide: three times the counted bytes, and 16 MiB.
          const files = ['', '-wal', '-reserve'].map(
            (end) => statSync(`${path}${end}`, { throwIfNoEntry: false })?.size ?? 0,
          );
          expect(files.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(
            3 * limits.bytes + 16 * mebibyte,
          );
        } finally {
          await Promise.all(stores.map((store) => store.close()));
          erase();
        }
      }),
      { numRuns: runs },
    );
  });

  describe('in PostgreSQL', () => {
    let server: TestServer | null = null;
    let pool: pg.Pool | null = null;
    beforeAll(async () => {
      server = await startPostgres();
      if (server !== null) pool = openPool(server.url);
    }, 240_000);
    afterAll(async () => {
      await pool?.end();
      await server?.stop();
    });

    it('the stored rows stay within the limits in PostgreSQL', { timeout: 3_600_000 }, async ({ skip }) => {
      if (pool === null) return skip('there is no PostgreSQL on this machine');
      const own: pg.Pool = pool;
      let spaces = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(writes, { minLength: 20, maxLength: 60 }), async (list) => {
          const prefix = `quota${++spaces}_`;
          const stores = [1, 2].map(() => postgresSessions({ pool: own, prefix }));
          await writeAll(stores, list);
          const tables = ['sessions', 'session_rows', 'session_records', 'session_files'];
          const { rows } = await own.query(recount(prefix, tables));
          const used = await own.query(`SELECT sessions, bytes FROM ${prefix}session_usage`);
          expect(used.rows[0] ?? rows[0]).toEqual(rows[0]);
          expect(Number(rows[0].sessions)).toBeLessThanOrEqual(limits.sessions);
          expect(Number(rows[0].bytes)).toBeLessThanOrEqual(limits.bytes);
        }),
        { numRuns: runs },
      );
    });
  });
});

describe('large sessions and long lists', () => {
  it('a session is sent while it is read: the server reads at most one page ahead of its client', async () => {
    const store = openSqlite().open();
    const put = new Map(Array.from({ length: 40 }, (_, at) => [`msg.${at}`, `${at}`.padEnd(300_000, 'ü"')]));
    await store.rows('anna').write('a', { expected: null, head: 'head', put, drop: 'rest' });
    let pages = 0;
    const counting: ServerSessions = {
      ...store,
      rows(owner, given) {
        const rows = store.rows(owner, given);
        return { ...rows, sessionPage: (...asked) => ((pages += 1), rows.sessionPage(...asked)) };
      },
    };
    const response = await ask(routesOf(counting), 'GET', '/a');
    const reader = response.body?.getReader();
    let text = '';
    const decoder = new TextDecoder();
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true };
      if (done) break;
      text += decoder.decode(value, { stream: true });
      expect(pages).toBeLessThanOrEqual(Math.ceil(text.length / 300_000) + 2);
    }
    expect(pages).toBeGreaterThanOrEqual(40);
    expect((JSON.parse(text) as { rows: unknown }).rows).toEqual(Object.fromEntries(put));
  });

  it('a session that is written anew while it is sent breaks the answer off', async () => {
    const store = openSqlite().open();
    const put = new Map(Array.from({ length: 10 }, (_, at) => [`msg.${at}`, 'x'.repeat(300_000)]));
    const rows = store.rows('anna');
    await rows.write('a', { expected: null, head: 'head', put, drop: 'rest' });
    const response = await ask(routesOf(store), 'GET', '/a');
    const expected = await rows.head('a');
    await rows.write('a', { expected, head: 'other', put: new Map([['msg.1', 'y']]), drop: 'rest' });
    await expect(response.text()).rejects.toThrow('written anew');
    expect((await rows.read('a'))?.rows.get('msg.1')).toBe('y');
  });

  it('a session whose long draft is replaced while it is sent breaks the answer off', async () => {
    const store = openSqlite().open();
    const put = new Map(Array.from({ length: 10 }, (_, at) => [`msg.${at}`, 'x'.repeat(300_000)]));
    const rows = store.rows('anna');
    await rows.write('a', { expected: null, head: 'head', put, drop: 'rest' });
    const response = await ask(routesOf(store), 'GET', '/a');
    const expected = { text: 'head', records: 0 };
    const draft = { head: 'other', put: new Map([['hed.1', 'y']]), drop: ['msg.9'] };
    expect(await rows.append('a', { expected, record: null, isStrict: false, ...draft })).toBe(true);
    await expect(response.text()).rejects.toThrow('written anew');
    const found = await rows.read('a');
    expect([found?.text, found?.rows.get('hed.1'), found?.rows.has('msg.9')]).toEqual(['other', 'y', false]);
  });

  it('a list of sessions comes in pages, also when heads are larger than the limit', async () => {
    const store = openSqlite().open();
    const rows = store.rows('anna');
    const names = Array.from({ length: 450 }, (_, at) => `s${String(at).padStart(3, '0')}`);
    for (const id of names)
      await rows.write(id, {
        expected: null,
        head: id < 's030' ? id.padEnd(mebibyte) : id,
        put: new Map(),
        drop: 'rest',
      });
    const routes = routesOf(store);
    const seen: string[] = [];
    for (let after = ''; ;) {
      const answer = await ask(routes, 'GET', after === '' ? '' : `?after=${after}`);
      expect(answer.status).toBe(200);
      const text = await answer.text();
      expect(text.length).toBeLessThan(1.2 * mebibyte);
      const { sessions, next } = JSON.parse(text) as { sessions: [string][]; next: string | null };
      expect(sessions.length).toBeLessThanOrEqual(200);
      seen.push(...sessions.map(([id]) => id));
      if (next === null) break;
      after = next;
    }
    expect(seen).toEqual(names);
    const client = httpSessions({
      url: 'http://localhost',
      fetch: (input, init) => routes.fetch(new Request(input, init)),
    });
    expect((await client.list()).sessions).toHaveLength(450);
  });
});
