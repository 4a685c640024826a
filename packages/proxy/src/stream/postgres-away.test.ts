import { scriptedInference } from '@vitrine/testing';
import { expect, it, onTestFinished } from 'vitest';
import { openPool } from '../../../../tests/servers/open-pool.ts';
import { startPostgres } from '../../../../tests/servers/start-postgres.ts';
import { request } from '../../../../tests/upstream/plain-request.ts';
import { createInferenceProxy } from '../create-inference-proxy.ts';
import type { ProxyLogEntry } from '../operator/request-line.ts';
import { createSessionRoutes } from '../sessions/create-session-routes.ts';
import { postgresSessions } from '../sessions/postgres-sessions.ts';
import { postgresStreamLog } from './postgres-stream-log.ts';

it(
  'every route answers 503 with Retry-After while PostgreSQL is away',
  { timeout: 120_000 },
  async ({ skip }) => {
    const server = await startPostgres();
    if (server === null) return skip('there is no PostgreSQL on this machine');
    onTestFinished(server.stop);
    const pool = openPool(server.url);
    const streamLog = postgresStreamLog({ pool });
    onTestFinished(() => streamLog.close().then(() => pool.end()));
    const lines: ProxyLogEntry[] = [];
    const log = (entry: ProxyLogEntry): void => void lines.push(entry);
    const client = scriptedInference([{ text: 'Hello' }]);
    const proxy = createInferenceProxy({
      models: [{ id: 'p:m', name: 'm', provider: 'p', client }],
      streamLog,
      log,
    });
    const routes = createSessionRoutes({
      store: postgresSessions({ pool }),
      authorize: () => ({ id: 'anna' }),
      log,
    });
    const body = JSON.stringify(request);
    const asked: readonly [handler: typeof proxy.fetch, method: string, path: string, body?: string][] = [
      [proxy.fetch, 'POST', 'inference', body],
      [proxy.fetch, 'GET', 'inference/x'],
      [proxy.fetch, 'DELETE', 'inference/x'],
      [routes.fetch, 'GET', 'sessions'],
      [routes.fetch, 'GET', 'sessions/a'],
      [routes.fetch, 'GET', 'sessions/a/head'],
      [routes.fetch, 'DELETE', 'sessions/a'],
      [routes.fetch, 'POST', 'sessions/a/rows', '{"names":["a"]}'],
    ];
    const statuses = async (): Promise<unknown[]> => {
      const found: unknown[] = [];
      for (const [ask, method, path, sent] of asked) {
        const response = await ask(
          new Request(`http://localhost/v1/${path}`, {
            method,
            ...(sent === undefined ? {} : { body: sent, headers: { 'content-type': 'application/json' } }),
          }),
        );
        await response.text();
        found.push(
          response.status === 503 ? [503, Number(response.headers.get('retry-after')) > 0] : response.status,
        );
      }
      return found;
    };
    expect(await statuses()).toEqual([200, 404, 404, 200, 404, 404, 404, 200]);
    await server.stop();
    expect(await statuses()).toEqual(asked.map(() => [503, true]));
    expect(lines.at(-1)).toMatchObject({
      code: 'session-storage',
      cause: expect.stringMatching(/connect|terminat/i),
    });
  },
);
