import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import {
  checkProviders,
  createInferenceProxy,
  hostsFromEnv,
  modelsFromEnv,
  optionsFromEnv,
} from '@vitrine/proxy';
import { requestListener } from '@vitrine/proxy/node';
import { configured } from './configured.ts';
import { listen } from './listen.ts';
import { operatorOptions } from './operator-options.ts';
import { createPageHandler } from './page-handler.ts';
import { graceOf, shutDownOnSignals } from './shut-down.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
if (existsSync(`${root}.env`)) process.loadEnvFile(`${root}.env`);

const models = configured(() => modelsFromEnv(process.env, { offline: true }));
const host = process.env['HOST'] || '127.0.0.1';
const allowedHosts = [host, ...hostsFromEnv(process.env)];
const proxy = configured(() =>
  createInferenceProxy({
    models,
    ...optionsFromEnv(process.env),
    ...operatorOptions(process.env),
    allowedHosts,
  }),
);
const graceMs = graceOf(process.env);
const api = requestListener(proxy);
const server = createServer();
const page = await createPageHandler({
  root,
  server,
  allowedHosts,
  built: builtFolder(process.env),
});

server.on('request', (request, response) => {
  if (request.url?.startsWith('/api/')) api(request, response);
  else page.handle(request, response);
});

const url = await listen(server, { host, port: process.env['PORT'] });
const isOffline = models.every((model) => model.provider === 'demo');
const about = isOffline
  ? 'No API key found: the offline demo model answers. See .env.example.'
  : `Models: ${models.map((model) => model.id).join(', ')}`;
process.stdout.write(`\n  Vitrine demo: ${url}\n  ${about}\n\n`);

shutDownOnSignals(graceMs, proxy, server, page);
// Not awaited before listening, so that the page works even if providers fail.
const errors = await checkProviders(process.env, models);
for (const error of errors) process.stdout.write(`  ! ${error}\n`);

/** The folder of the built page; null when the page comes from its sources. */
function builtFolder({ VITRINE_DEMO_PAGE: folder, NODE_ENV: mode }: NodeJS.ProcessEnv): string | null {
  return folder || (mode === 'production' ? `${root}apps/demo/dist` : null);
}
