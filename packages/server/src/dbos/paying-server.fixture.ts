import { serveInferenceProxy } from '@vitrine/proxy/node';
import pg from 'pg';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import { createAgentServer } from '../create-agent-server.ts';
import { byName, paidAgent } from '../paid-agent.fixture.ts';
import { dbosHost } from './dbos-host.ts';

// A server of agents whose quota is counted in the database: `node paying-server.fixture.ts <url> <points>`. It prints its
// address.
const [, , url = '', points = ''] = process.argv;
const pool = new pg.Pool({ connectionString: url, max: 4 });
const cost = new RateLimiterPostgres({
  storeClient: pool,
  tableName: 'quotas',
  tableCreated: true,
  points: Number(points),
  duration: 3600,
});
const server = createAgentServer({
  agents: { clerk: paidAgent(300) },
  host: dbosHost({ url, version: '1', deadMs: 1000 }),
  log: () => undefined,
  lingerMs: 100,
  authorize: byName,
  quotas: { cost },
});
const served = await serveInferenceProxy(server, { port: 0 });
await server.ready;
process.stdout.write(`${served.url}\n`);
