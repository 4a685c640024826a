import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';
import { type DemoServer, startDemo } from './demo-server.ts';
import { closeBrowser, visit } from './visitor.ts';

const assets = `${root}/apps/demo/dist/assets`;
let server: DemoServer;

beforeAll(async () => {
  const env = { ...process.env, NODE_ENV: 'production', VITEST: '' };
  await promisify(execFile)(process.execPath, ['node_modules/vite/bin/vite.js', 'build'], { cwd: root, env });
  server = await startDemo({ NODE_ENV: 'production', VITRINE_DEMO_PACE_MS: '0' });
}, 240_000);
afterAll(async () => {
  await closeBrowser();
  server?.stop();
});

const get = (path: string, encoding = 'gzip'): Promise<Response> =>
  fetch(new URL(path, server.url), { headers: { 'accept-encoding': encoding } });
const script = (): string => readdirSync(assets).find((name) => /^index-.*\.js$/.test(name)) ?? '';

it('the built page chats without a complaint of the browser, and has no panel', async () => {
  const { page, conversation, say, complaints, context } = await visit(server.url);
  await say('What is 3 + 3? &amp; <b>');
  await conversation.getByText('The result is 6.').waitFor();
  expect(await page.locator('[data-vitrine-devtools]').count()).toBe(0);
  expect(complaints).toEqual([]);
  await context.close();
});

it('nothing of the panel is in what is built', () => {
  const scripts = readdirSync(assets).filter((name) => name.endsWith('.js'));
  const holding = (trace: string): string[] =>
    scripts.filter((name) => readFileSync(`${assets}/${name}`, 'utf8').includes(trace));
  expect(holding('vitrine-demo')).not.toEqual([]);
  for (const trace of ['vitrineDevtools', 'data-vitrine-devtools', 'Open Vitrine devtools'])
    expect(holding(trace)).toEqual([]);
});

it('what has its hash in its name is compressed and kept by browsers, the page itself is asked for again', async () => {
  const asset = await get(`/assets/${script()}`);
  expect(asset.headers.get('content-encoding')).toBe('gzip');
  expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(asset.headers.get('content-type')).toMatch(/^text\/javascript/);
  expect(asset.headers.get('vary')).toMatch(/accept-encoding/i);
  expect(await asset.text()).toBe(readFileSync(`${assets}/${script()}`, 'utf8'));
  expect((await get(`/assets/${script()}`, 'identity')).headers.get('content-encoding')).toBeNull();
  expect((await get('/')).headers.get('cache-control')).toBe('no-cache');
});

it.each([
  '/assets/nothing.js',
  '/nothing',
  '/favicon.ico',
  '/..%2f..%2fpackage.json',
  '/%2e%2e/package.json',
])('what is not there is said to be so, and not cached: %s', async (path) => {
  const response = await get(path);
  expect(response.status).toBe(404);
  expect(response.headers.get('content-type')).not.toMatch(/html/);
  expect(response.headers.get('cache-control')).toBe('no-cache');
});

it.each(['/', '/index.html', '/nothing'])(
  'says what the page may do, and nothing of HTTPS: %s',
  async (path) => {
    const { headers } = await get(path);
    const policy = headers.get('content-security-policy') ?? '';
    for (const directive of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
    ])
      expect(policy.split('; ')).toContain(directive);
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('strict-transport-security')).toBeNull();
  },
);
