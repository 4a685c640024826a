import { appendFileSync } from 'node:fs';
import { serveInferenceProxy } from '@vitrine/proxy/node';
import { createAgentServer } from '@vitrine/server';
import { sqliteHost } from '@vitrine/server/sqlite';
import { createClerk, pause } from './clerk.ts';

// A server of the clerk in a process of its own: `node clerk-process.ts <path> <deeds> <origin>`. It prints its address. For
// tests a token is the name of the person.
const [, , path = '', deeds = '', origin = ''] = process.argv;
const clerk = createClerk({
  deed: (text) => appendFileSync(deeds, `${text}\n`),
  found: () => pause(600),
  payMs: 1200,
});
const server = createAgentServer({
  agents: { clerk },
  host: sqliteHost({ path }),
  allowedOrigins: [origin],
  log: () => undefined,
  authorize(request) {
    const id = /^Bearer (\w+)$/.exec(request.headers.get('authorization') ?? '')?.[1];
    return id === undefined ? null : { id };
  },
  // Ben is a colleague of everybody.
  access: ({ id }, { owner }) => id === owner || id === 'ben',
});
const { url } = await serveInferenceProxy(server, { port: 0 });
await server.ready;
process.stdout.write(`${url}\n`);
