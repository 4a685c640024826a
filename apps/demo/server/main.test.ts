import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it, vi } from 'vitest';
import { startUpstream } from '../../../tests/upstream/upstream.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

type Running = {
  readonly child: ChildProcess;
  readonly url: string;
  readonly said: () => string;
  /** The lines of the server's log. */
  readonly lines: () => readonly { readonly route: string; readonly outcome: string }[];
};

type Spawned = {
  readonly child: ChildProcess;
  /** The output so far. */
  readonly text: () => { readonly out: string; readonly err: string };
};

/** Starts the server of the demo as a process, with the page as it would be built. */
function spawnProcess(env: Readonly<Record<string, string>>): Spawned {
  const child = spawn(process.execPath, ['--conditions=@vitrine/source', 'apps/demo/server/main.ts'], {
    cwd: root,
    env: { PATH: process.env['PATH'], NODE_ENV: 'production', PORT: '0', VITRINE_DEMO_PACE_MS: '1', ...env },
  });
  started.push(child);
  let [out, err] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (err += text));
  return { child, text: () => ({ out, err }) };
}

async function start(env: Readonly<Record<string, string>> = {}): Promise<Running> {
  const { child, text } = spawnProcess(env);
  await vi.waitFor(() => expect(text().out, text().err).toContain('Vitrine demo:'), { timeout: 25_000 });
  return {
    child,
    url: /http:\S+/.exec(text().out)?.[0] ?? '',
    said: () => text().out,
    lines: () =>
      text()
        .err.split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as { route: string; outcome: string }),
  };
}

const ask = (url: string): Promise<Response> =>
  fetch(`${url}api/v1/inference`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      messages: [{ role: 'user', parts: [{ type: 'text', text: 'Write a long answer' }] }],
    }),
  });

it('a server that gets SIGTERM finishes its answers, refuses new ones and exits', async () => {
  const { child, url, lines } = await start({ VITRINE_DEMO_PACE_MS: '8' });
  const answer = await ask(url);
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await vi.waitFor(async () => expect((await fetch(`${url}api/readyz`)).status).toBe(503));
  expect((await ask(url)).status).toBe(503);
  expect(await answer.text()).toContain('"type":"finish"');
  expect(await exit).toEqual([0, null]);
  expect(lines().map(({ route, outcome }) => `${route} ${outcome}`)).toEqual([
    'POST /v1/inference refused',
    'POST /v1/inference completed',
  ]);
});

it.each([
  [{ VITRINE_MODELS: 'openai:gpt-5' }, /^VITRINE_MODELS: "openai:gpt-5" .* Set that provider's key/],
  [{ VITRINE_MAX_OUTPUT_TOKENS: 'many' }, /^VITRINE_MAX_OUTPUT_TOKENS is "many"; give a number/],
  [{ VITRINE_SHUTDOWN_GRACE_MS: '10s' }, /^VITRINE_SHUTDOWN_GRACE_MS is "10s"; give milliseconds/],
])('the server exits with one sentence about an invalid environment: %o', async (env, sentence) => {
  const { child, text } = spawnProcess(env);
  expect(await once(child, 'close')).toEqual([1, null]);
  expect(text().out).toBe('');
  expect(text().err).toMatch(sentence);
  expect(text().err.trim()).not.toContain('\n');
});

it('an answer that takes longer than the grace period ends with an event', async () => {
  const { child, url } = await start({ VITRINE_DEMO_PACE_MS: '2000', VITRINE_SHUTDOWN_GRACE_MS: '50' });
  const answer = await ask(url);
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await answer.text()).toMatch(/"code":"stream-incomplete"[^\n]*\n\n$/);
  expect(await exit).toEqual([0, null]);
});

it('a key that its provider refuses is reported in one sentence, while the page already works', async () => {
  const upstream = await startUpstream();
  upstream.behave = { kind: 'status', status: 401 };
  const { said, url } = await start({ OPENAI_API_KEY: 'sk-canary-1234567', OPENAI_BASE_URL: upstream.url });
  await vi.waitFor(() =>
    expect(said()).toContain(
      '! openai refuses the key of this server (status 401): set a valid one (OPENAI_API_KEY).',
    ),
  );
  expect(said()).not.toContain('canary');
  expect((await fetch(`${url}api/metrics`)).status).toBe(404);
  await upstream.close();
});

it('the metrics need the token of the environment', async () => {
  const { url } = await start({ METRICS_TOKEN: 'a-token-of-some-length' });
  await (await ask(url)).text();
  expect((await fetch(`${url}api/metrics`)).status).toBe(401);
  const headers = { authorization: 'Bearer a-token-of-some-length' };
  expect(await (await fetch(`${url}api/metrics`, { headers })).text()).toContain(
    'vitrine_calls_total{model="demo:offline",outcome="completed"',
  );
});
