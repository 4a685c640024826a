import { loadedSession } from '@vitrine/core';
import { existsSync, readFileSync } from 'node:fs';
import { type RowStorage } from '@vitrine/persist';
import { storedHeadTag } from '@vitrine/persist/internal/rows/head';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createSessionRoutes } from './create-session-routes.ts';
import { recordOf } from './record-of.fixture.ts';
import { type ServedSessions, serveSessions } from './served-sessions.fixture.ts';
import { temporaryDatabase } from './sqlite-faults.fixture.ts';
import type { ServerSessions } from './server-sessions.ts';
import { sqliteSessions } from './sqlite/sqlite-sessions.ts';

// Every step is a request over a real connection.
vi.setConfig({ testTimeout: 60_000 });

const { path, erase } = temporaryDatabase();
let store: ServerSessions;
let server: ServedSessions;
beforeAll(async () => {
  store = sqliteSessions({ path });
  server = await serveSessions(store, { limits: { bodyBytes: 20_000 } });
});
afterAll(async () => {
  await server.close();
  await store.close();
  erase();
});

/** The status and the problem of the answer to a request of Anna's. */
async function ask(
  path: string,
  init: RequestInit & { headers?: Record<string, string> } = {},
): Promise<Record<string, unknown>> {
  const headers = { 'x-user': 'anna', 'content-type': 'application/json', ...init.headers };
  const response = await fetch(`${server.url}/api/v1/sessions${path}`, { ...init, headers });
  const text = await response.text();
  return { status: response.status, ...(text === '' ? {} : (JSON.parse(text) as object)) };
}
const write = (body: unknown): { method: string; body: string } => ({
  method: 'PUT',
  body: JSON.stringify(body),
});
const firstWrite = { head: '{}', put: {}, drop: 'rest' };

describe('sessions on a server', () => {
  it('sessions are visible only to the principal that wrote them, whatever their ids', async () => {
    const [anna, bert] = [server.as('anna'), server.as('bert')];
    const version = await anna.save(recordOf('mine'), { expectedVersion: 0 });
    expect(loadedSession(await bert.load('mine'))).toBeNull();
    expect((await bert.list()).sessions).toEqual([]);
    await expect(bert.save(recordOf('mine'), { expectedVersion: version })).rejects.toMatchObject({
      code: 'session-conflict',
      data: { storedVersion: 0 },
    });
    await expect(bert.remove('mine', { expectedVersion: version })).rejects.toMatchObject({
      code: 'session-conflict',
    });
    await bert.remove('mine');
    const asBert = { headers: { 'x-user': 'bert' } };
    for (const [part, init] of [
      ['/mine', {}],
      ['/mine/head', {}],
      ['/mine', { method: 'DELETE' }],
      ['/mine', { ...write(firstWrite), headers: { 'if-match': '"x.0"' } }],
      [
        '/mine/records',
        {
          method: 'POST',
          body: '{"record":"a","head":null,"isStrict":true}',
          headers: { 'if-match': '"x.0"' },
        },
      ],
    ] as const) {
      const own = 'headers' in init ? init.headers : {};
      const answer = await ask(part, { ...init, headers: { ...own, ...asBert.headers } });
      const isBad = answer['code'] === 'invalid-request';
      expect([part, isBad ? 404 : answer['status']]).toEqual([part, 404]);
    }
    // He has a session of that id now, and hers is unchanged.
    await bert.save(recordOf('mine', 'His'), { expectedVersion: 0 });
    expect(loadedSession(await anna.load('mine'))?.title).toBe('Titled');
    expect(loadedSession(await store.of('bert').load('mine'))?.title).toBe('His');
    expect(loadedSession(await store.load('mine'))).toBeNull();
  });

  it('the routes tell the durability of their store, and the stored version when a write is stale', async () => {
    const anna = server.as('anna');
    expect(anna.durability).toBe('eventual');
    const first = await anna.save(recordOf('stale'), { expectedVersion: 0 });
    expect(anna.durability).toBe('process-crash');
    const rows: RowStorage = store.rows('anna');
    const head = await rows.head('stale');
    const sent = { ...write({ ...firstWrite, head: head?.text }), headers: { 'if-none-match': '*' } };
    const conflict = { status: 409, code: 'session-conflict', storedVersion: first };
    expect(await ask('/stale', sent)).toMatchObject(conflict);
    expect(await ask('/stale', { method: 'DELETE', headers: { 'if-match': '"old.0"' } })).toMatchObject(
      conflict,
    );
    expect(await ask('/stale', { ...sent, headers: {} })).toMatchObject({ status: 428 });
    if (head === null) throw new Error('Nothing was stored.');
    const tag = { 'if-match': `"${storedHeadTag(head)}"` };
    expect(await ask('/stale', { method: 'DELETE', headers: tag })).toEqual({ status: 204 });
  });

  it.each<[string, string, RequestInit & { headers?: Record<string, string> }, object]>([
    ['nobody', '', { headers: { 'x-user': '' } }, { status: 500, code: 'authorize-invalid' }],
    ['an id that is none', '/a%250Ab', {}, { status: 400, code: 'id-invalid' }],
    ['an id that is not encoded', '/a%20b', {}, { status: 400, code: 'id-invalid' }],
    ['an id that is too long', `/${'a'.repeat(201)}/head`, {}, { status: 400, code: 'id-invalid' }],
    ['another address', '/a/more', {}, { status: 404, code: 'not-found' }],
    ['a body that is no JSON', '/a', { method: 'PUT', body: '{' }, { status: 400, code: 'invalid-json' }],
    [
      'a body of another type',
      '/a',
      { ...write(firstWrite), headers: { 'content-type': 'text/plain' } },
      { status: 415 },
    ],
    [
      'a body that is too large',
      '/a',
      write({ ...firstWrite, head: 'x'.repeat(20_000) }),
      { status: 413, code: 'body-too-large' },
    ],
    [
      'a body of another shape',
      '/a',
      write({ ...firstWrite, drop: 5 }),
      { status: 400, code: 'invalid-request' },
    ],
    [
      'a row whose name is none',
      '/a',
      write({ ...firstWrite, put: { '../a': 'x' } }),
      { status: 400, code: 'invalid-request' },
    ],
    [
      'a head that is none',
      '/a',
      { ...write(firstWrite), headers: { 'if-none-match': '*' } },
      { status: 400, code: 'invalid-request' },
    ],
    [
      'a page of another site',
      '/a',
      { method: 'DELETE', headers: { origin: 'https://other.example' } },
      { status: 403, code: 'origin-not-allowed' },
    ],
  ])('the routes refuse %s', async (_what, part, init, expected) => {
    expect(await ask(part, init)).toMatchObject(expected);
    expect(loadedSession(await server.as('anna').load('a'))).toBeNull();
  });

  it('the routes refuse a caller without a sign-in, and a head of another session', async () => {
    const response = await fetch(`${server.url}/v1/sessions`);
    expect([response.status, (await response.json()) as object]).toMatchObject([
      401,
      { code: 'unauthorized' },
    ]);
    await server.as('anna').save(recordOf('other'), { expectedVersion: 0 });
    const head = (await store.rows('anna').head('other'))?.text;
    const sent = { ...write({ ...firstWrite, head }), headers: { 'if-none-match': '*' } };
    expect(await ask('/a', sent)).toMatchObject({ status: 400, code: 'invalid-request' });
    expect(() => createSessionRoutes({ store } as never)).toThrow('authorize');
  });
});

describe('sqliteSessions', () => {
  it('sqliteSessions explains a fault of its file, and works once the file is there', async () => {
    const lost = sqliteSessions({ path: `${path}/no/such.db` });
    await expect(lost.load('a').then(loadedSession)).rejects.toMatchObject({ code: 'session-storage' });
    await expect(lost.load('a').then(loadedSession)).rejects.toThrow('See that the folder exists');
    await store.close();
    await expect(store.load('a').then(loadedSession)).rejects.toThrow('are closed');
    store = sqliteSessions({ path });
    expect(loadedSession(await store.of('bert').load('mine'))?.title).toBe('His');
  });

  it('sqliteSessions leaves nothing of an erased session in its files', async () => {
    const { path: file, erase: eraseFolder } = temporaryDatabase();
    const sessions = sqliteSessions({ path: file });
    const holds = (word: string): boolean =>
      [file, `${file}-wal`].some((name) => existsSync(name) && readFileSync(name).includes(word));
    const version = await sessions.save(recordOf('a', 'first-secret'), { expectedVersion: 0 });
    await sessions.save(recordOf('b', 'second-secret'), { expectedVersion: 0 });
    expect([holds('first-secret'), holds('second-secret')]).toEqual([true, true]);
    await sessions.save(recordOf('a', 'Blank'), { expectedVersion: version, isErasing: true });
    await sessions.remove('b');
    expect([holds('first-secret'), holds('second-secret'), holds('Blank')]).toEqual([false, false, true]);
    await sessions.close();
    eraseFolder();
  });
});

it('limits that are not given have their defaults, and an invalid one is refused', async () => {
  const authorize = () => ({ id: 'anna' });
  const open = (limits: object) => createSessionRoutes({ store, authorize, limits, log: () => undefined });
  for (const wrong of [{ bodyBytes: Number.NaN }, { fileBytes: 0 }, { bodyMs: -1 }])
    expect(() => open(wrong)).toThrow(/createSessionRoutes: the limit \w+ is .*; give a number above 0/);

  const { fetch: answer } = open({ bodyBytes: undefined, bodyMs: undefined });
  const putting = (length: number) =>
    new Request('http://localhost/v1/sessions/a', {
      method: 'PUT',
      headers: { 'content-type': 'application/json', 'if-none-match': '*' },
      body: JSON.stringify({ ...firstWrite, head: 'x'.repeat(length) }),
    });
  // The body is read and refused for its content.
  expect((await answer(putting(10))).status).toBe(400);
  expect((await answer(putting(33 * 1024 * 1024))).status).toBe(413);
});
