import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { createInferenceProxy, modelsFromEnv } from '@vitrine/proxy';
import { createApiHandler } from './api-handler.ts';
import { listen } from './listen.ts';
import { createPageHandler } from './page-handler.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
if (existsSync(`${root}.env`)) process.loadEnvFile(`${root}.env`);

const models = modelsFromEnv(process.env);
const api = createApiHandler(createInferenceProxy({ models }));
const server = createServer();
const page = await createPageHandler({
  root,
  server,
  isProduction: process.env['NODE_ENV'] === 'production',
});

server.on('request', (request, response) => {
  if (request.url?.startsWith('/api/')) api(request, response);
  else page.handle(request, response);
});

const url = await listen(server, process.env);
const isOffline = models.every((model) => model.provider === 'demo');
const about = isOffline
  ? 'No API key found: the offline demo model answers. See .env.example.'
  : `Models: ${models.map((model) => model.id).join(', ')}`;
process.stdout.write(`\n  Vitrine demo: ${url}\n  ${about}\n\n`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void page.close().finally(() => process.exit(0));
    server.closeAllConnections();
  });
}
