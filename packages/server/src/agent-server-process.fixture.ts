import { appendFileSync } from 'node:fs';
import { serveInferenceProxy } from '@vitrine/proxy/node';
import { clerkOf, pauseFor } from './clerk.fixture.ts';
import { createAgentServer } from './create-agent-server.ts';
import { sqliteHost } from './sqlite/sqlite-host.ts';

// A server of agents in a process of its own: `node agent-server-process.fixture.ts <path> <deeds> <port>`. It prints its
// address.
const [, , path = '', deeds = '', port = '0'] = process.argv;
const clerk = clerkOf({ deed: (text) => appendFileSync(deeds, `${text}\n`), pause: pauseFor });
const server = createAgentServer({
  agents: { clerk },
  host: sqliteHost({ path }),
  log: () => undefined,
  lingerMs: 300,
  // For tests a token is the name of the person.
  authorize(request) {
    const id = /^Bearer (\w+)$/.exec(request.headers.get('authorization') ?? '')?.[1];
    return id === undefined ? null : { id };
  },
});
const { url } = await serveInferenceProxy(server, { port: Number(port) });
await server.ready;
process.stdout.write(`${url}\n`);
process.on('SIGTERM', () => void server.stop({ graceMs: 5000 }).then(() => process.exit(0)));

export type TestServer = typeof server;
