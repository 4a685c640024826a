import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAgentSession, defineAgent, type FilePart, readAttachment, loadedSession } from '@vitrine/core';
import type { BlobRows, FullSessionStore, RowStorage } from '@vitrine/persist';
import { scriptedInference } from '@vitrine/testing';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openPool } from '../../../../tests/servers/open-pool.ts';
import { startPostgres } from '../../../../tests/servers/start-postgres.ts';
import type { TestServer } from '../../../../tests/servers/test-server.ts';
import { postgresSessions } from './postgres-sessions.ts';
import { recordOf } from './record-of.fixture.ts';
import { serveSessions } from './served-sessions.fixture.ts';
import type { ServerSessions } from './server-sessions.ts';
import { temporaryDatabase } from './sqlite-faults.fixture.ts';
import { sqliteSessions } from './sqlite/sqlite-sessions.ts';
import { tablesSince } from './sqlite/open-sqlite.ts';

vi.setConfig({ testTimeout: 60_000 });

const closing: (() => unknown)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const close of closing.splice(0).toReversed()) await close();
});

function inSqlite(): { readonly path: string; readonly store: ServerSessions } {
  const { path, erase } = temporaryDatabase();
  const store = sqliteSessions({ path });
  closing.push(erase, store.close);
  return { path, store };
}

const mediaType = 'image/png';
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const put = (store: FullSessionStore, text: string, sessionId: string): ReturnType<Put> =>
  (store.blobs as NonNullable<FullSessionStore['blobs']>).put(bytesOf(text), { mediaType, sessionId });
type Put = NonNullable<FullSessionStore['blobs']>['put'];
const textOf = async (store: FullSessionStore, hash: string): Promise<string | null> =>
  (await (await store.blobs?.get(hash))?.text()) ?? null;
/** A session whose queue mentions a file. */
const speaking = (id: string, blob: FilePart['blob']): ReturnType<typeof recordOf> => {
  const files: FilePart[] = [{ type: 'file', mediaType, filename: null, ...(blob && { blob }) }];
  return { ...recordOf(id), queue: [{ id: 'q', text: '', isSteered: false, files }] };
};
const dayMs = 24 * 60 * 60 * 1000;

describe('files of sessions on a server', () => {
  it('files of sessions are sent once beside the messages, shown after a reload, and deleted with their session', async () => {
    const { store } = inSqlite();
    const server = await serveSessions(store);
    closing.push(server.close);
    const sessions = server.as('anna');
    const inference = scriptedInference([{ text: 'Seen' }]);
    const session = createAgentSession({ agent: defineAgent({ inference }), sessions, sessionId: 'a' });
    const file = new File(['four'], 'a.png', { type: mediaType });
    expect((await session.sendMessage({ text: 'Look', files: [file] })).status).toBe('done');
    await session.flush();
    await session.dispose();
    const record = loadedSession(await server.as('anna').load('a'));
    const stored = JSON.stringify(record);
    const hash = /"hash":"([0-9a-f]{64})"/.exec(stored)?.[1] ?? '';
    expect(stored).not.toContain(btoa('four'));
    const part: FilePart = { type: 'file', mediaType, filename: null, blob: { hash, size: 4 } };
    const shown = await readAttachment(part, server.as('anna'));
    expect([await shown?.text(), shown?.type]).toEqual(['four', mediaType]);
    await server.as('anna').remove('a');
    expect(await readAttachment(part, server.as('anna'))).toBeNull();
  });

  it('files of sessions are refused with a sentence when they are too large or the store keeps none', async () => {
    const { store } = inSqlite();
    const server = await serveSessions(store, { limits: { fileBytes: 3 } });
    closing.push(server.close);
    await expect(put(server.as('anna'), 'four', 'a')).rejects.toMatchObject({ code: 'session-storage' });
    await expect(put(server.as('anna'), 'four', 'a')).rejects.toThrow(
      'the server answered 413 (file-too-large). The file exceeds the limit of 3 bytes on this server. Send a smaller one.',
    );
    const without = (owner: string): RowStorage => {
      const { blobs: _blobs, ...rows } = store.rows(owner);
      return rows;
    };
    const other = await serveSessions({ ...store, rows: without });
    closing.push(other.close);
    await expect(put(other.as('anna'), 'four', 'a')).rejects.toThrow('501 (files-not-kept)');
    expect(await textOf(other.as('anna'), 'a'.repeat(64))).toBeNull();
  });

  it('files keep the type that they were given, even one that no header can hold, and a wrong hash is not requested', async () => {
    const { store } = inSqlite();
    const server = await serveSessions(store);
    closing.push(server.close);
    const { blobs } = server.as('anna');
    for (const type of ['', 'text/html', 'a/b; name="ü\r\nx: y"', '%41']) {
      const kept = await blobs?.put(bytesOf(`of ${type}`), { mediaType: type, sessionId: 'a' });
      const found = await store.rows('anna').blobs?.get(kept?.hash ?? '');
      expect(found?.mediaType).toBe(type);
      expect(await textOf(server.as('anna'), kept?.hash ?? '')).toBe(`of ${type}`);
    }
    for (const hash of ['..', '../..', '', 'A'.repeat(64), `${'a'.repeat(64)}/..`])
      expect(await blobs?.get(hash)).toBeNull();
  });
});

describe('files in SQLite', () => {
  it('files in SQLite that no message mentions go a day later with the next upload; held ones stay', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { store } = inSqlite();
    const left = await put(store.of('anna'), 'left', 'a');
    const held = await put(store.of('anna'), 'held', 'a');
    await store.of('anna').save(speaking('a', held), { expectedVersion: 0 });
    vi.setSystemTime(Date.now() + dayMs - 1000);
    await put(store.of('bert'), 'other', 'b');
    expect(await textOf(store.of('anna'), left.hash)).toBe('left');
    vi.setSystemTime(Date.now() + 2000);
    await put(store.of('bert'), 'another', 'b');
    expect(await textOf(store.of('anna'), left.hash)).toBeNull();
    expect(await textOf(store.of('anna'), held.hash)).toBe('held');
  });

  it('files in SQLite fit into a database that was created before there were files', async () => {
    const { path, erase } = temporaryDatabase();
    const [all, since] = [tablesSince(0), tablesSince(1)];
    const old = new DatabaseSync(path);
    old.exec(`${all.slice(0, all.length - since.length)} PRAGMA user_version = 1;
      INSERT INTO sessions (owner, id, head, records) VALUES ('anna', 'old', 'its head', 0);`);
    old.close();
    const store = sqliteSessions({ path });
    closing.push(erase, store.close);
    expect((await store.rows('anna').head('old'))?.text).toBe('its head');
    const { hash } = await put(store.of('anna'), 'new', 'a');
    expect(await textOf(store.of('anna'), hash)).toBe('new');
  });
});

describe('files in PostgreSQL', () => {
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

  it('files in PostgreSQL that no message mentions go a day later with the next upload; held ones stay', async ({
    skip,
  }) => {
    if (pool === null) return skip('there is no PostgreSQL on this machine');
    const store = postgresSessions({ pool, prefix: 'swept_' });
    const left = await put(store.of('anna'), 'left', 'a');
    const held = await put(store.of('anna'), 'held', 'a');
    await store.of('anna').save(speaking('a', held), { expectedVersion: 0 });
    const later = (hours: number): Promise<unknown> =>
      (pool as pg.Pool).query(`UPDATE swept_session_holds SET since = since - interval '${hours} hours'`);
    await later(23);
    await put(store.of('bert'), 'other', 'b');
    expect(await textOf(store.of('anna'), left.hash)).toBe('left');
    await later(2);
    await put(store.of('bert'), 'another', 'b');
    expect(await textOf(store.of('anna'), left.hash)).toBeNull();
    expect(await textOf(store.of('anna'), held.hash)).toBe('held');
  });

  const hash = 'a'.repeat(64);
  const { buffer } = bytesOf('shared') as Uint8Array<ArrayBuffer>;
  const file = { hash, bytes: buffer, mediaType };

  /** Uncommitted work of one connection, and a second one that would undo it. */
  it.for<[string, string, (rows: RowStorage) => Promise<unknown>]>([
    [
      'is put, and let go of by the session that held it',
      `SELECT raced_put_session_file('anna', 'b', '${hash}', 'image/png', 'shared', NULL)`,
      (rows) => rows.remove('a'),
    ],
    [
      'is spoken of, and let go of by the session that held it',
      `SELECT raced_lock_session_owner('anna'), raced_hold_session_files('anna', 'b', ARRAY['${hash}'], false)`,
      (rows) => rows.remove('a'),
    ],
    [
      'is let go of by the last session, and put',
      `DELETE FROM raced_session_holds WHERE id = 'a'`,
      (rows) => (rows.blobs as BlobRows).put('b', file),
    ],
  ])('a file that %s, exists afterwards', async ([, statement, undo], { skip }) => {
    if (pool === null) return skip('there is no PostgreSQL on this machine');
    const rows = postgresSessions({ pool, prefix: 'raced_' }).rows('anna');
    await rows.remove('b');
    await rows.blobs?.put('a', file);
    const first = await pool.connect();
    await first.query(`BEGIN; ${statement}`);
    let isDone = false;
    const undone = undo(rows).finally(() => (isDone = true));
    while (!isDone && !(await isWaiting(pool))) await sleep(5);
    await first.query('COMMIT');
    first.release();
    await undone;
    expect(await rows.blobs?.get(hash)).not.toBeNull();
    await rows.remove('a');
    await rows.remove('b');
    expect(await rows.blobs?.get(hash)).toBeNull();
  });
});

async function isWaiting(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query(`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'`);
  return rows.length > 0;
}
