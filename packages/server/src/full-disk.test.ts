import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { folderOfTest } from '../../../tests/folder-of-test.ts';
import { type ServedClerk, serveClerk } from './served-clerk.fixture.ts';
import { sqliteHost } from './sqlite/sqlite-host.ts';

const mebibyte = 1024 * 1024;

/** A file system of so many bytes; null when this process may not mount one. */
function smallDisk(bytes: number): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-full-'));
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder]);
  onTestFinished(() => {
    if (status === 0) execFileSync('umount', ['-l', folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  return status === 0 ? folder : null;
}

type Answered = { readonly status: number; readonly problem: Record<string, unknown> };

async function ask({ url }: ServedClerk, path: string, method = 'GET', body?: object): Promise<Answered> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: 'Bearer anna', 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    problem: text.startsWith('{') ? (JSON.parse(text) as object) : {},
  } as Answered;
}

const sessions = '/agents/clerk/sessions';
const send = (served: ServedClerk, id: string, text: string): Promise<Answered> =>
  ask(served, `${sessions}/${id}/commands`, 'POST', {
    type: 'send',
    id: `c${Math.random().toString(36).slice(2)}`,
    message: { text },
    options: {},
    onBusy: 'queue',
  });

it('a full disk is told as one, its sessions are read and deleted, and the server is ready again with room', async ({
  skip,
}) => {
  const disk = smallDisk(24 * mebibyte);
  if (disk === null) return skip('this process may mount no file system');
  const served = await serveClerk({ host: sqliteHost({ path: join(disk, 'sessions.db') }) });
  for (const id of ['s1', 's2']) {
    expect((await send(served, id, 'x'.repeat(200_000))).status).toBe(202);
    await expect.poll(async () => (await ask(served, `${sessions}/${id}`)).status).toBe(200);
  }
  expect((await ask(served, '/readyz')).status).toBe(200);
  const { bfree, bsize } = statfsSync(disk);
  try {
    writeFileSync(join(disk, 'others'), new Uint8Array(Number(bfree * bsize) + mebibyte));
  } catch (error) {
    expect(error).toMatchObject({ code: 'ENOSPC' });
  }
  const refused = await send(served, 's3', 'x'.repeat(200_000));
  expect(refused).toMatchObject({ status: 507, problem: { code: 'session-storage', retryable: true } });
  expect(refused.problem['detail']).toMatch(/The disk of this server is full/);
  expect(JSON.stringify(refused.problem)).not.toContain(disk);
  await expect
    .poll(() => ask(served, '/readyz'))
    .toMatchObject({ status: 503, problem: { detail: expect.stringMatching(/is full/) as string } });
  expect((await ask(served, sessions)).status).toBe(200);
  expect((await ask(served, `${sessions}/s1`)).status).toBe(200);
  for (const id of ['s1', 's2']) expect((await ask(served, `${sessions}/${id}`, 'DELETE')).status).toBe(204);
  rmSync(join(disk, 'others'));
  await expect.poll(async () => (await ask(served, '/readyz')).status).toBe(200);
  expect((await send(served, 's4', 'Hello')).status).toBe(202);
}, 60_000);

it('a database that another program locks is told as busy for a while, and not as a fault of the server', async () => {
  const path = join(folderOfTest('locked'), 'sessions.db');
  const served = await serveClerk({ host: sqliteHost({ path }) });
  expect((await send(served, 's1', 'Hello')).status).toBe(202);
  await expect.poll(async () => (await ask(served, `${sessions}/s1`)).status).toBe(200);
  const other = new DatabaseSync(path);
  // The first turn may still be written.
  other.exec('PRAGMA busy_timeout = 30000');
  other.exec('BEGIN IMMEDIATE');
  const [refused, ready] = await Promise.all([send(served, 's2', 'Hello'), ask(served, '/readyz')]);
  expect(refused).toMatchObject({ status: 503, problem: { code: 'session-storage', retryable: true } });
  expect(ready).toMatchObject({ status: 503, problem: { code: 'session-storage' } });
  other.exec('COMMIT');
  other.close();
  await expect.poll(async () => (await ask(served, '/readyz')).status).toBe(200);
  expect((await send(served, 's2', 'Hello')).status).toBe(202);
}, 60_000);
