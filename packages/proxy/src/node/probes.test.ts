import { connect } from 'node:net';
import { scriptedInference } from '@vitrine/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createInferenceProxy } from '../create-inference-proxy.ts';
import { createSessionRoutes } from '../sessions/create-session-routes.ts';
import { temporaryDatabase } from '../sessions/sqlite-faults.fixture.ts';
import { sqliteSessions } from '../sessions/sqlite/sqlite-sessions.ts';
import { type InferenceServer, serveInferenceProxy } from './serve-inference-proxy.ts';

const database = temporaryDatabase();
const store = sqliteSessions({ path: database.path });
let servers: readonly InferenceServer[] = [];
beforeAll(async () => {
  const nobody = (): null => null;
  const log = (): void => undefined;
  const proxy = createInferenceProxy({
    models: [{ id: 'p:m', name: 'm', provider: 'p', client: scriptedInference([]) }],
    authorize: nobody,
    allowedHosts: ['chat.example'],
    log,
  });
  const routes = createSessionRoutes({ store, authorize: nobody, allowedHosts: ['chat.example'], log });
  servers = [await serveInferenceProxy(proxy, { port: 0 }), await serveInferenceProxy(routes, { port: 0 })];
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close({ graceMs: 0 })));
  await store.close();
  database.erase();
});

/** The status line and body that a server answers to raw lines. */
function sent(url: string, lines: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(lines));
    let answer = '';
    socket.on('data', (data) => (answer += data.toString()));
    socket.on('end', () => resolve(`${answer.split('\r\n')[0]} ${answer.split('\r\n\r\n')[1] ?? ''}`));
    socket.on('error', reject);
  });
}

it.each([
  ['the default check of HAProxy', 'OPTIONS / HTTP/1.0\r\n\r\n', '{"status":"ok"}'],
  ['HTTP/1.0 without Host', 'GET /healthz HTTP/1.0\r\n\r\n', '{"status":"ok"}'],
  ['HTTP/1.0 without Host under a path', 'GET /api/readyz HTTP/1.0\r\n\r\n', '{"status":"ready"}'],
  ['OPTIONS of HTTP/1.0', 'OPTIONS /healthz HTTP/1.0\r\n\r\n', '{"status":"ok"}'],
  [
    'another host',
    'GET /healthz HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n',
    '{"status":"ok"}',
  ],
  [
    'a host that is none',
    'GET /readyz HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n',
    '{"status":"ready"}',
  ],
  [
    'another site',
    'GET /healthz HTTP/1.1\r\nHost: x\r\nOrigin: https://x.example\r\nSec-Fetch-Site: cross-site\r\nConnection: close\r\n\r\n',
    '{"status":"ok"}',
  ],
  ['a body', 'GET /healthz HTTP/1.0\r\nContent-Length: 3\r\n\r\nabc', '{"status":"ok"}'],
  ['HEAD', 'HEAD /readyz HTTP/1.0\r\n\r\n', ''],
])('a probe by %s is answered with 200, whatever is served', async (_how, lines, body) => {
  // On a busy machine the store may not answer within the second that it has.
  for (const { url } of servers) await expect.poll(() => sent(url, lines)).toBe(`HTTP/1.1 200 OK ${body}`);
});

it('a request without Host that is no probe is still refused', async () => {
  for (const { url } of servers)
    expect(await sent(url, 'GET /v1/models HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 4/);
});
