import react from '@vitejs/plugin-react';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type ViteDevServer } from 'vite';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { configOf } from './build-app.ts';
import { closeBrowser, visit, type Visit } from './visit.ts';

let cacheDir: string;
let server: ViteDevServer;
let url: string;

const html =
  '<!doctype html><html lang="en"><head><title>hot</title><link rel="icon" href="data:,"></head>' +
  '<body><div id="root-0"></div><script type="module" src="/hot/client.tsx"></script></body></html>';

beforeAll(async () => {
  cacheDir = await mkdtemp(join(tmpdir(), 'vitrine-hot-'));
  const config = configOf({ name: '', react: '19', isCompiled: false });
  server = await createServer({
    ...config,
    cacheDir,
    appType: 'custom',
    plugins: [react()],
    server: { host: '127.0.0.1', port: 0 },
    optimizeDeps: { entries: ['hot/client.tsx'] },
  });
  server.middlewares.use((request, response, next) => {
    if (request.url !== '/hot') return next();
    void server.transformIndexHtml('/hot', html).then((page) => {
      response.setHeader('content-type', 'text/html');
      response.end(page);
    });
  });
  await server.listen();
  url = `${server.resolvedUrls?.local[0] ?? ''}hot`;
});
afterAll(async () => {
  await closeBrowser();
  await server.close();
  await rm(cacheDir, { recursive: true, force: true });
});

/** The effect of editing a file: the module is evaluated again, together with the modules that accept it. */
async function edit(path: string): Promise<void> {
  const modules = server.moduleGraph.getModulesByFile(join(server.config.root, path));
  for (const module of modules ?? []) await server.reloadModule(module);
}

async function ask({ page }: Visit, chat: string): Promise<void> {
  await page.getByRole('button', { name: `Ask ${chat}`, exact: true }).click();
}

it('chats go on after the module of their store, agent and session was edited, and after their own', async () => {
  const chat = await visit(url);
  const chats = ['named', 'anonymous', 'ready'] as const;
  const answered = ['question', 'the answer'];
  for (const name of chats) {
    await ask(chat, name);
    await expect.poll(() => chat.messagesOf(name)).toEqual(answered);
  }
  await edit('hot/store.ts');
  // Another store and another session are empty; the anonymous chat is the component's own, and stays.
  await expect.poll(() => chat.messagesOf('named')).toEqual([]);
  await expect.poll(() => chat.messagesOf('ready')).toEqual([]);
  expect(await chat.messagesOf('anonymous')).toEqual(answered);
  for (const name of chats) await ask(chat, name);
  await expect.poll(() => chat.messagesOf('named')).toEqual(answered);
  await expect.poll(() => chat.messagesOf('ready')).toEqual(answered);
  await expect.poll(() => chat.messagesOf('anonymous')).toEqual([...answered, ...answered]);
  await edit('hot/page.tsx');
  for (const name of chats) await ask(chat, name);
  await expect.poll(() => chat.messagesOf('named')).toEqual([...answered, ...answered]);
  await expect.poll(() => chat.messagesOf('anonymous')).toEqual([...answered, ...answered, ...answered]);
  expect(chat.complaints).toEqual([]);
});

it('the panel has what it recorded after the module that shows it was edited, and after that of the session', async () => {
  const chat = await visit(url);
  const { page } = chat;
  const panel = page.getByRole('region', { name: 'Vitrine devtools' });
  const recordRun = async (): Promise<void> => {
    await panel.getByText(/^It finished after 1 step/).waitFor();
    await panel.getByRole('tab', { name: 'Events' }).click();
    await panel.getByText('execution-start').waitFor();
    expect(await panel.getByText(/came before the panel began to record/).count()).toBe(0);
  };
  await ask(chat, 'ready');
  await recordRun();
  const host = await page.locator('[data-vitrine-devtools]').elementHandle();
  await edit('hot/tools.tsx');
  await expect.poll(() => host?.evaluate((element) => element.isConnected)).toBe(false);
  await recordRun();
  await edit('hot/store.ts');
  await expect.poll(() => chat.messagesOf('ready')).toEqual([]);
  // The session of before is on the page still, with its runs.
  await recordRun();
  await ask(chat, 'ready');
  await panel.getByLabel('Session').waitFor();
  await recordRun();
  expect(chat.complaints).toEqual([]);
});
