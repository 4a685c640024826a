import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { folderOf } from '../../scripts/packages.ts';
import { root } from '../../scripts/root.ts';
import { closeBrowser, visit, type Visit } from '../matrix/visit.ts';

const folder = mkdtempSync(join(tmpdir(), 'vitrine-next-'));
const port = 34_000 + (process.pid % 1000);
let server: ChildProcess | null = null;

/** Runs a command in the copy of the application. */
function run(command: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' },
  });
  expect(status, `${command} ${args.join(' ')}\n${stdout}\n${stderr}`).toBe(0);
  return stdout;
}

function pack(name: string): string {
  const [packed] = JSON.parse(
    run('npm', 'pack', join(root, folderOf(name)), '--json', '--pack-destination', folder),
  ) as [{ filename: string }];
  return join(folder, packed.filename);
}

beforeAll(async () => {
  for (const part of ['app', 'package.json', 'next.config.js'])
    cpSync(join(root, 'tests/next-app', part), join(folder, part), { recursive: true });
  // What strangers install: the packages as they are packed, in a folder of their own.
  run(
    'npm',
    'install',
    '--no-audit',
    '--no-fund',
    ...['core', 'persist', 'messages', 'inspect', 'testing', 'react'].map(pack),
  );
  run('npx', 'next', 'build');
  server = spawn('npx', ['next', 'start', '--port', String(port), '--hostname', '127.0.0.1'], {
    cwd: folder,
    stdio: 'ignore',
    detached: true,
  });
  await vi.waitFor(async () => expect((await fetch(url('/'))).status).toBe(200), {
    timeout: 60_000,
    interval: 200,
  });
});

afterAll(async () => {
  await closeBrowser();
  // The whole group: npx stands between us and the server.
  if (server?.pid !== undefined) process.kill(-server.pid);
  rmSync(folder, { recursive: true, force: true });
});

function url(path: string): string {
  return `http://127.0.0.1:${port}${path}`;
}

async function ask({ page }: Visit, chat: string): Promise<void> {
  await page.getByRole('button', { name: `Ask ${chat}`, exact: true }).click();
}

it('a page with chats is built ahead, without an id and without a clock', async () => {
  const html = await (await fetch(url('/'))).text();
  expect(html).toContain('data-status="ready" data-id="none"');
});

it('chats are answered, and are there again after another route was shown', async () => {
  const chat = await visit(url('/'), 'button');
  const answered = ['question', 'the answer'];
  for (const name of ['anonymous', 'named']) {
    await ask(chat, name);
    await expect.poll(() => chat.messagesOf(name)).toEqual(answered);
  }
  await chat.page.getByRole('link', { name: 'other' }).click();
  await chat.page.getByRole('heading', { name: 'Another page' }).waitFor();
  // Long enough for what rests while nobody looks.
  await chat.page.waitForTimeout(300);
  await chat.page.getByRole('link', { name: 'chat' }).click();
  for (const name of ['anonymous', 'named']) {
    await expect.poll(() => chat.messagesOf(name)).toEqual(answered);
    await ask(chat, name);
    await expect.poll(() => chat.messagesOf(name)).toEqual([...answered, ...answered]);
  }
  expect(chat.complaints).toEqual([]);
});
