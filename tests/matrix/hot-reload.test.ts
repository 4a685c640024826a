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

/** What an edit of a file does: the module is evaluated again, and what accepts it with it. */
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
