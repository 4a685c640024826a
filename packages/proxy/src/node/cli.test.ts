import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished, vi } from 'vitest';
import { request } from '../../../../tests/upstream/plain-request.ts';
import { startUpstream } from '../../../../tests/upstream/upstream.ts';

const command = fileURLToPath(new URL('cli.ts', import.meta.url));

type Run = {
  readonly child: ChildProcess;
  readonly said: () => { readonly out: string; readonly err: string };
  /** Resolves with the address, once the command serves. */
  readonly url: () => Promise<string>;
};

/** Runs the command in a folder with the given `.env`, or without one. */
function run(args: readonly string[], { dotEnv, env = {} }: { dotEnv?: string; env?: object } = {}): Run {
  const cwd = mkdtempSync(join(tmpdir(), 'vitrine-cli-'));
  if (dotEnv !== undefined) writeFileSync(join(cwd, '.env'), dotEnv);
  const child = spawn(process.execPath, ['--conditions=@vitrine/source', command, ...args], {
    cwd,
    env: { PATH: process.env['PATH'], VITRINE_DEMO_PACE_MS: '0', ...env },
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
    rmSync(cwd, { recursive: true });
  });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  return {
    child,
    said: () => ({ out, err }),
    url: () =>
      vi.waitFor(
        () => {
          expect(out, err).toMatch(/http:\S+ serves/);
          return /http:\S+/.exec(out)?.[0] ?? '';
        },
        { timeout: 25_000 },
      ),
  };
}

const post = (url: string): Promise<Response> =>
  fetch(`${url}/v1/inference`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(request),
  });

it('the command serves the models of .env, and says which', async () => {
  const upstream = await startUpstream();
  onTestFinished(upstream.close);
  upstream.behave = { kind: 'status', status: 401 };
  const dotEnv = `OPENAI_API_KEY=sk-canary-1234567\nOPENAI_BASE_URL=${upstream.url}\nPORT=1\n`;
  const { url, said } = run(['--port', '0', '--models', 'openai:gpt-5-mini'], { dotEnv });
  const address = await url();
  expect(said().out).toBe(`Vitrine proxy: ${address} serves openai:gpt-5-mini.\n`);
  expect(await (await fetch(`${address}/healthz`)).json()).toEqual({ status: 'ok' });
  expect(await (await post(address)).text()).toContain('upstream-unauthorized');
  expect(upstream.authorizations()).toContain('Bearer sk-canary-1234567');
  await vi.waitFor(() => expect(said().err).toContain('openai refuses the key of this server (status 401)'));
  expect(said().err).not.toContain('sk-canary');
});

it('the command serves the demo model without a key and says what to set', async () => {
  const { url, said } = run(['--port=0', '--host', 'localhost']);
  const address = await url();
  expect(await (await post(address)).text()).toContain('"type":"finish"');
  expect(said().out).toMatch(/^Vitrine proxy: http:\/\/localhost:\d+ serves demo:offline\.\n$/);
  expect(said().err).toMatch(/^No key of a model provider is set\. Looked for OPENAI_API_KEY/);
});

it.each(['SIGTERM', 'SIGINT'] as const)('%s lets answers finish and refuses new ones', async (signal) => {
  const { child, url } = run(['--port', '0'], { env: { VITRINE_DEMO_PACE_MS: '20' } });
  const address = await url();
  const answer = await post(address);
  const exit = once(child, 'exit');
  child.kill(signal);
  await vi.waitFor(async () => expect((await fetch(`${address}/readyz`)).status).toBe(503));
  expect((await post(address)).status).toBe(503);
  expect(await answer.text()).toContain('"type":"finish"');
  expect(await exit).toEqual([0, null]);
});

it('the second signal ends the command at once', async () => {
  const { child, url } = run(['--port', '0'], { env: { VITRINE_DEMO_PACE_MS: '5000' } });
  const address = await url();
  const answer = await post(address);
  const exit = once(child, 'exit');
  child.kill('SIGINT');
  await vi.waitFor(async () => expect((await fetch(`${address}/readyz`)).status).toBe(503));
  child.kill('SIGINT');
  expect(await exit).toEqual([1, null]);
  await answer.text().catch(() => undefined);
});

it('the option --help lists every option', async () => {
  const { child, said } = run(['--help']);
  expect(await once(child, 'close')).toEqual([0, null]);
  for (const option of ['--port', '--host', '--models', '--env']) expect(said().out).toContain(option);
});

it.each<[readonly string[], RegExp, object?]>([
  [['--prot', '1'], /^Unknown option '--prot'\. Did you mean --port\? npx @vitrine\/proxy --help lists/],
  [['-x'], /^Unknown option '-x'\. npx/],
  [['--port'], /^Option '--port <value>' argument missing\. npx/],
  [['8787'], /^Unexpected argument '8787'\. /],
  [['--port', 'http'], /^--port is "http"; it has to be a number from 0 to 65535\.$/],
  [['--env', 'none.env'], /^--env is "none.env", which cannot be read\. Give the path of a file\.$/],
  [['--models', 'openai:gpt-5'], /^VITRINE_MODELS: "openai:gpt-5" .* Set that provider's key/],
  [[], /^VITRINE_SHUTDOWN_GRACE_MS is -1; /, { VITRINE_SHUTDOWN_GRACE_MS: '-1' }],
  [[], /NODE_ENV is production, where the offline demo model must not answer/, { NODE_ENV: 'production' }],
])('the command ends with one sentence for %j', async (args, sentence, env = {}) => {
  const { child, said } = run(args, { env });
  expect(await once(child, 'close')).toEqual([1, null]);
  expect(said().out).toBe('');
  expect(said().err.trim()).toMatch(sentence);
  expect(said().err.trim()).not.toContain('\n');
});

it('a port in use ends the command with the way to another one', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  const { child, said } = run(['--port', String(port), '--models', 'demo:offline']);
  expect(await once(child, 'close')).toEqual([1, null]);
  expect(said().err).toContain(`Port ${port} of 127.0.0.1 is in use by another program.`);
  expect(said().err).toContain('`--port`');
});
