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
import { demoReplies } from './offline/replies.ts';
import { operatorOptions } from './operator-options.ts';
import { createPageHandler } from './page-handler.ts';
import { createSessionServer } from './session-server.ts';
import { graceOf, shutDownOnSignals } from './shut-down.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
if (existsSync(`${root}.env`)) process.loadEnvFile(`${root}.env`);

const models = configured(() => modelsFromEnv(process.env, { offline: { replies: demoReplies() } }));
const host = process.env['HOST'] || '127.0.0.1';
const allowedHosts = [host, ...hostsFromEnv(process.env)];
const operator = operatorOptions(process.env);
const proxy = configured(() =>
  createInferenceProxy({ models, ...optionsFromEnv(process.env), ...operator, allowedHosts }),
);
const graceMs = graceOf(process.env);
const sessions = createSessionServer({
  root,
  proxy,
  host,
  env: process.env,
  allowedHosts,
  ...(operator.log && { log: operator.log }),
});
const [answersApi, sessionsApi] = [requestListener(proxy), requestListener(sessions)];
const server = createServer();
const page = await createPageHandler({
  root,
  server,
  allowedHosts,
  built: builtFolder(process.env),
});

server.on('request', (request, response) => {
  if (request.url?.startsWith('/api/agents')) sessionsApi(request, response);
  else if (request.url?.startsWith('/api/')) answersApi(request, response);
  else page.handle(request, response);
});

const url = await listen(server, { host, port: process.env['PORT'] });
const isOffline = models.every((model) => model.provider === 'demo');
const about = isOffline
  ? 'No API key found: the offline demo model answers. See .env.example.'
  : `Models: ${models.map((model) => model.id).join(', ')}`;
process.stdout.write(`\n  Vitrine demo: ${url}\n  ${about}\n\n`);

shutDownOnSignals(graceMs, { proxy, sessions, server, page });
// Not awaited before listening, so that the page works even if providers fail.
const errors = await checkProviders(process.env, models);
for (const error of errors) process.stdout.write(`  ! ${error}\n`);

/** The folder of the built page; null when the page comes from its sources. */
function builtFolder({ VITRINE_DEMO_PAGE: folder, NODE_ENV: mode }: NodeJS.ProcessEnv): string | null {
  return folder || (mode === 'production' ? `${root}apps/demo/dist` : null);
}
