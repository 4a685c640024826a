import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';
import { type DemoServer, startDemo } from './demo-server.ts';
import { closeBrowser, visit } from './visitor.ts';

const dist = `${root}/apps/demo/dist`;
const assets = `${dist}/assets`;
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

it('the built page chats without a complaint of the browser, and is looked into with the panel', async () => {
  const { page, conversation, say, complaints, context } = await visit(server.url);
  await say('What is 3 + 3? &amp; <b>');
  await conversation.getByText('The result is 6.').waitFor();
  const panel = page.getByRole('region', { name: 'Vitrine devtools' });
  await panel.getByText(/^It finished after 2 steps/).waitFor();
  await page.getByRole('button', { name: 'New session', exact: true }).click();
  await page.getByRole('radio', { name: /^Data agent/ }).check();
  await page.getByRole('button', { name: /^Draw the revenue by month/ }).click();
  await conversation.getByRole('img', { name: /^revenue by month: 2026-01 31,570/ }).waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

/** The files below the root of the page that a browser has to have before it draws the page. */
function filesOfFirstLoad(): string[] {
  const html = readFileSync(`${dist}/index.html`, 'utf8');
  const open = [...html.matchAll(/(?:src|href)="\/([^"]+\.(?:js|css))"/g)].map(([, file = '']) => file);
  const files = new Set(['index.html', ...open]);
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (!file.endsWith('.js')) continue;
    const code = readFileSync(`${dist}/${file}`, 'utf8');
    const imports = [...code.matchAll(/(?:import|from)\s*["']\.\/([\w.-]+\.js)["']/g)];
    for (const added of imports.map(([, name = '']) => `assets/${name}`)) {
      if (!files.has(added)) open.push(added);
      files.add(added);
    }
  }
  return [...files];
}

const holding = (traces: readonly string[], files: readonly string[]): string[] =>
  files.filter((file) => traces.some((trace) => readFileSync(`${dist}/${file}`, 'utf8').includes(trace)));

it('the page is drawn with at most 120 kB, compressed', () => {
  const sizes = filesOfFirstLoad().map(
    (file) => [file, gzipSync(readFileSync(`${dist}/${file}`)).length] as const,
  );
  const total = sizes.reduce((sum, [, size]) => sum + size, 0);
  expect(sizes.length).toBeGreaterThan(3);
  expect(total, sizes.map((entry) => entry.join(' ')).join('\n')).toBeLessThanOrEqual(120_000);
});

it('the panel, Markdown, charts and tables come when they are needed, and not before', () => {
  const all = readdirSync(assets).map((name) => `assets/${name}`);
  for (const trace of ['data-vitrine-devtools', 'blockquote', 'maxBarThickness', 'skipEmptyLines']) {
    const files = all.filter((file) => file.endsWith('.js'));
    expect(holding([trace], files), trace).not.toEqual([]);
    expect(
      holding(
        [trace],
        filesOfFirstLoad().filter((file) => file.endsWith('.js')),
      ),
      trace,
    ).toEqual([]);
  }
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
