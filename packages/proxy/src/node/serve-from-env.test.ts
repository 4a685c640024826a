import { scriptedInference } from '@vitrine/testing';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startPostgres } from '../../../../tests/servers/start-postgres.ts';
import { startRedis } from '../../../../tests/servers/start-redis.ts';
import { request } from '../../../../tests/upstream/plain-request.ts';
import { createInferenceProxy } from '../create-inference-proxy.ts';
import type { EnvRecord } from '../kit/env-record.ts';
import { optionsFromEnv } from '../guard/options-from-env.ts';
import { modelsFromEnv } from '../providers/models-from-env.ts';
import { temporaryDatabase } from '../sessions/sqlite-faults.fixture.ts';
import { serveFromEnv } from './serve-from-env.ts';

const offline = { PORT: '0', VITRINE_DEMO_PACE_MS: '0' };
const silent = { log: () => undefined };

describe('values that mean nothing', () => {
  it.each<[EnvRecord, RegExp]>([
    [
      { ALLOWED_HOSTS: 'https://chat.example' },
      /ALLOWED_HOSTS holds "https:\/\/chat.example".*"chat.example"/,
    ],
    [{ ALLOWED_HOSTS: '*' }, /ALLOWED_HOSTS holds "\*"/],
    [{ ALLOWED_FILE_HOSTS: 'files.example/path' }, /ALLOWED_FILE_HOSTS holds "files.example\/path"/],
    [{ ALLOWED_ORIGINS: 'chat.example' }, /ALLOWED_ORIGINS: .*"chat.example"/],
    [{ VITRINE_IDLE_MS: '0' }, /VITRINE_IDLE_MS is "0"; give a number above 0/],
    [{ VITRINE_TOTAL_MS: '-1' }, /VITRINE_TOTAL_MS/],
    [{ VITRINE_DEPTH: 'deep' }, /VITRINE_DEPTH is "deep"/],
    [{ VITRINE_BODY_BYTES: '0' }, /VITRINE_BODY_BYTES/],
    [{ VITRINE_IDEL_MS: '5' }, /VITRINE_IDEL_MS="5".*Did you mean VITRINE_IDLE_MS\?/],
    [{ VITRINE_QUOTA_REQUEST: '5/minute' }, /Did you mean VITRINE_QUOTA_REQUESTS\?/],
    [{ VITRINE_QUOTA_REQUESTS: '60' }, /VITRINE_QUOTA_REQUESTS is "60"; .*"60\/minute"/],
    [{ VITRINE_QUOTA_REQUESTS: '1.5/minute' }, /a whole number above 0/],
    [{ VITRINE_QUOTA_TOKENS: '0/day' }, /VITRINE_QUOTA_TOKENS is "0\/day"/],
    [{ VITRINE_QUOTA_TOKENS: '10/fortnight' }, /VITRINE_QUOTA_TOKENS is "10\/fortnight"/],
    [{ VITRINE_QUOTA_COST: '1/day' }, /no prices to count by.*VITRINE_PRICES/],
    [{ VITRINE_QUOTA_CONCURRENT: 'many' }, /VITRINE_QUOTA_CONCURRENT is "many"/],
  ])('the value %j is refused by name, with the correct form', (env, sentence) => {
    expect(() => optionsFromEnv(env)).toThrow(sentence);
  });

  it('prices of models that are not served are refused, with the nearest names', () => {
    const env = {
      OPENAI_API_KEY: 'sk-x',
      VITRINE_MODELS: 'openai:gpt-5-mini',
      VITRINE_PRICES: 'openai:gpt-5-mni=1/2',
    };
    expect(() => modelsFromEnv(env)).toThrow(
      /"openai:gpt-5-mni", which is not served\. Served are: openai:gpt-5-mini/,
    );
    expect(() => modelsFromEnv({ OPENAI_API_KEY: 'sk-x', OPENAI_BASE_URL: 'api.example' })).toThrow(
      /OPENAI_BASE_URL is "api.example"; give an address/,
    );
    expect(() => modelsFromEnv({ VITRINE_DEMO_PACE_MS: 'slow' })).toThrow('VITRINE_DEMO_PACE_MS is "slow"');
  });

  it('a list without a name and a model with two prices are refused', () => {
    const key = { OPENAI_API_KEY: 'sk-x', VITRINE_MODELS: 'openai:a' };
    for (const env of [{ VITRINE_MODELS: ' , ' }, { ...key, VITRINE_MODELS: ',' }])
      expect(() => modelsFromEnv(env)).toThrow(/VITRINE_MODELS is ".*,.*", which names no model/);
    expect(() => modelsFromEnv({ ...key, VITRINE_PRICES: 'openai:a=1/2, openai:a=3/4' })).toThrow(
      /VITRINE_PRICES has two prices of "openai:a"/,
    );
    expect(() => modelsFromEnv({ ...key, VITRINE_PRICES: 'openai:a=1/2,' })).not.toThrow();
  });

  it.each<[EnvRecord, RegExp]>([
    [
      { VITRINE_STREAM_LOG: 'mysql://u:secret@db' },
      /VITRINE_STREAM_LOG is "mysql:\/\/u:•••@db"; give redis:/,
    ],
    [{ VITRINE_SESSIONS: 'sqlite:a.db' }, /without a sign-in/],
    [{ VITRINE_JWKS_URL: 'id.example' }, /VITRINE_JWKS_URL is "id.example"/],
    [{ VITRINE_JWKS_URL: 'https://id.example' }, /VITRINE_JWT_ISSUER and VITRINE_JWT_AUDIENCE/],
    [{ PORT: 'http' }, /PORT is "http"/],
    [{ HOST: 'http://chat.example' }, /HOST is "http:\/\/chat.example"; .*like "127.0.0.1"/],
    [{ HOST: 'chat.example:80' }, /HOST is "chat.example:80"/],
  ])('serveFromEnv refuses %j with a sentence', async (env, sentence) => {
    await expect(serveFromEnv({ ...offline, ...env }, silent)).rejects.toThrow(sentence);
  });

  it('createInferenceProxy() reads the environment and refuses settings that need a server', async () => {
    const before = { ...process.env };
    onTestFinished(() => void (process.env = before));
    process.env = { VITRINE_QUOTA_REQUESTS: '1/minute', VITRINE_DEMO_PACE_MS: '0' };
    const proxy = createInferenceProxy();
    const answers = [];
    for (let count = 0; count < 2; count++) {
      const body = JSON.stringify(request);
      const headers = { 'content-type': 'application/json' };
      const answer = await proxy.fetch(
        new Request('http://localhost/v1/inference', { method: 'POST', body, headers }),
      );
      answers.push(answer.status);
      await answer.text();
    }
    expect(answers).toEqual([200, 429]);
    process.env['VITRINE_STREAM_LOG'] = 'redis://localhost';
    expect(() => createInferenceProxy()).toThrow(/VITRINE_STREAM_LOG is set.*serveFromEnv/);
  });
});

async function issuer(): Promise<{
  readonly env: EnvRecord;
  readonly token: (sub: string) => Promise<string>;
}> {
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  const keys = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' }] });
  const server = createServer((_asked, answer) => answer.end(keys));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return {
    env: {
      VITRINE_JWKS_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`,
      VITRINE_JWT_ISSUER: 'id',
      VITRINE_JWT_AUDIENCE: 'chat',
    },
    token: (sub) =>
      new SignJWT({})
        .setProtectedHeader({ alg: 'ES256', kid: 'k' })
        .setSubject(sub)
        .setIssuer('id')
        .setAudience('chat')
        .setExpirationTime('1h')
        .sign(privateKey),
  };
}

it.for([
  ['Redis', startRedis],
  ['PostgreSQL', startPostgres],
] as const)(
  'a server over %s signs people in, keeps their sessions and counts for all processes',
  { timeout: 120_000 },
  async ([name, start], { skip }) => {
    const storage = await start();
    if (storage === null) return skip(`there is no ${name} on this machine`);
    onTestFinished(storage.stop);
    const { path, erase } = temporaryDatabase();
    onTestFinished(erase);
    const { env: signIn, token } = await issuer();
    const env = {
      ...offline,
      ...signIn,
      VITRINE_STREAM_LOG: storage.url,
      VITRINE_SESSIONS: storage.url.startsWith('postgres') ? storage.url : `sqlite:${path}`,
      VITRINE_QUOTA_REQUESTS: '3/hour',
      VITRINE_QUOTA_TOKENS: '1000000/day',
    };
    const client = scriptedInference([{ text: 'Hello' }]);
    const options = { ...silent, models: [{ id: 'p:m', name: 'm', provider: 'p', client }] };
    // The servers start at once and must not fail over the tables that each of them creates.
    const servers = await Promise.all(Array.from({ length: 4 }, () => serveFromEnv(env, options)));
    onTestFinished(
      async () => void (await Promise.all(servers.map((server) => server.close({ graceMs: 0 })))),
    );
    const authorization = `Bearer ${await token('anna')}`;
    const ask = (index: number): Promise<Response> =>
      fetch(`${servers[index % 4]?.url}/v1/inference`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization },
        body: JSON.stringify(request),
      });
    const statuses: number[] = [];
    for (let index = 0; index < 4; index++) {
      const answer = await ask(index);
      statuses.push(answer.status);
      await answer.text();
    }
    expect(statuses).toEqual([200, 200, 200, 429]);
    const sessions = `${servers[0]?.url}/v1/sessions`;
    expect((await fetch(sessions)).status).toBe(401);
    expect((await fetch(sessions, { headers: { authorization } })).status).toBe(200);
  },
);
