import { once } from 'node:events';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createInferenceProxy } from '@vitrine/proxy';
import { requestListener } from '@vitrine/proxy/node';
import { offlineModel } from '@vitrine/proxy/offline';
import { modelPrices } from '@vitrine/proxy/prices';
import { describe, expect, it } from 'vitest';
import { doctor, type DoctorOptions } from './doctor.ts';
import { folderOfTest } from '../../../tests/folder-of-test.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const written = Date.parse(modelPrices.day);
const dayMs = 86_400_000;
// Nothing listens there, whatever runs on this machine.
const nowhere = 'http://127.0.0.1:1';

type Outcome = {
  readonly check: string;
  readonly state: string;
  readonly says: string;
  readonly todo: string | null;
};
type Examined = { readonly code: number; readonly outcomes: readonly Outcome[] };

async function examined(folder: string, options: Partial<DoctorOptions> = {}): Promise<Examined> {
  const lines: string[] = [];
  const print = (line: string): void => void lines.push(line);
  const code = await doctor(folder, { now: written, url: nowhere, env: {}, json: true, print, ...options });
  const { outcomes } = JSON.parse(lines.join('\n')) as { readonly outcomes: readonly Outcome[] };
  return { code, outcomes };
}

/** The sentences of a check about an application with these files. */
async function saysOf(
  check: string,
  files: Readonly<Record<string, string>>,
  options: Partial<DoctorOptions> = {},
) {
  const { outcomes } = await examined(await application(files), options);
  return outcomes.flatMap((one) =>
    one.check === check ? [`${one.state}: ${one.says} ${one.todo ?? ''}`.trim()] : [],
  );
}

/** A folder with these files, and the packages of this repository unless it has its own. */
async function application(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = folderOfTest('doctor');
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  if (!Object.keys(files).some((path) => path.startsWith('node_modules')))
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

const manifest = (version: string): string => JSON.stringify({ version });
const vite = { 'package.json': '{ "devDependencies": { "vite": "8" } }' };
const page = { 'src/app.tsx': `import { defineAgent } from '@vitrine/react';` };

describe('vitrine doctor', () => {
  it('the doctor says the day of the list prices while it is at most 60 days ago', async () => {
    const { outcomes } = await examined(root, { now: written + 60 * dayMs });
    expect(outcomes).toContainEqual({
      check: 'prices',
      state: 'fine',
      says: `The list prices of @vitrine/proxy are of ${modelPrices.day}, 60 days ago.`,
      todo: null,
    });
  });

  it('the doctor ends with 1 and says what to do when the list prices are older than 60 days', async () => {
    const lines: string[] = [];
    const print = (line: string): void => void lines.push(line);
    const folder = await application({});
    const code = await doctor(folder, { now: written + 61 * dayMs, url: nowhere, env: {}, print });
    expect(lines.join('\n')).toContain(
      '61 days ago. Update @vitrine/proxy, or give your own prices in VITRINE_PRICES.',
    );
    expect(code).toBe(1);
  });

  it('the doctor says so where nothing is installed, and finds no fault there', async () => {
    const { code, outcomes } = await examined(folderOfTest('doctor'));
    expect(outcomes.map(({ says }) => says).join('\n')).toContain('@vitrine/proxy is not installed in');
    expect(outcomes.filter(({ state }) => state === 'wrong')).toEqual([]);
    expect(code).toBe(0);
  });

  it('packages of different versions are named', async () => {
    const files = {
      'node_modules/@vitrine/core/package.json': manifest('0.1.0'),
      'node_modules/@vitrine/react/package.json': manifest('0.2.0'),
    };
    expect(await saysOf('versions', files)).toEqual([
      'wrong: The packages have different versions: @vitrine/core 0.1.0, @vitrine/react 0.2.0. Install all in one version.',
    ]);
  });

  it('a second copy of a package that keeps state is named with its places', async () => {
    const files = {
      'node_modules/@vitrine/core/package.json': manifest('0.1.0'),
      'node_modules/@vitrine/react/package.json': manifest('0.1.0'),
      'node_modules/@vitrine/react/node_modules/@vitrine/core/package.json': manifest('0.1.0'),
    };
    const [says = ''] = await saysOf('copies', files);
    expect(says).toMatch(
      /^wrong: @vitrine\/core is installed 2 times: .*react\/node_modules\/@vitrine\/core\. Run npm dedupe/,
    );
    expect(await saysOf('copies', {})).toEqual([expect.stringMatching(/^fine: /)]);
  });

  it('a page without a proxy gets the line that its bundler needs', async () => {
    expect(await saysOf('proxy', { ...vite, ...page })).toEqual([
      'wrong: src/app.tsx shows agents, and no file mounts the proxy that answers at /api. Add vitrine() of @vitrine/proxy/vite to the plugins of vite.config.ts.',
    ]);
    const mounted = { 'vite.config.ts': `import { vitrine } from '@vitrine/proxy/vite';` };
    expect(await saysOf('proxy', { ...vite, ...page, ...mounted })).toEqual([
      'fine: vite.config.ts leads pages to a proxy.',
    ]);
    const led = {
      'vite.config.ts': `export default { server: { proxy: { '/api': 'http://127.0.0.1:3000' } } };`,
    };
    expect(await saysOf('proxy', { ...vite, ...page, ...led })).toEqual([
      expect.stringMatching(/^fine: vite.config/),
    ]);
  });

  it('a missing key, a misspelt one, a wrong variable and one that pages show are told apart', async () => {
    expect(await saysOf('key', {})).toEqual([
      expect.stringMatching(
        /^note: No key of a model provider is set\. Looked for OPENAI_API_KEY.*Put a key into \.env\.$/,
      ),
    ]);
    expect(await saysOf('key', { '.env': 'OPENAI_API_KY=sk-1' })).toEqual([
      expect.stringContaining('OPENAI_API_KY'),
    ]);
    expect(await saysOf('key', { '.env': 'OPENAI_API_KEY=sk-1' })).toEqual([
      expect.stringMatching(/^fine: The proxy serves openai:/),
    ]);
    expect(await saysOf('key', { '.env': 'OPENAI_API_KEY=sk-1\nVITRINE_MODELS=nobody:x' })).toEqual([
      expect.stringMatching(/^wrong: .*nobody.*Correct the variable in \.env\.$/),
    ]);
    const shown = await saysOf('key', { '.env': 'VITE_OPENAI_API_KEY=sk-secret-of-mine' });
    expect(shown[0]).toBe(
      'wrong: Every page shows VITE_OPENAI_API_KEY. Rename it, and give the page the proxy.',
    );
    expect(shown.join()).not.toContain('sk-secret-of-mine');
  });

  it('a model that a source names and the proxy does not serve is named with those that it serves', async () => {
    const env = { '.env': 'OPENAI_API_KEY=sk-1\nVITRINE_MODELS=openai:gpt-5' };
    const source = (model: string) => ({ 'src/agent.ts': `export const llmConfig = { model: '${model}' };` });
    expect(await saysOf('models', { ...env, ...source('openai:gpt-5') })).toEqual([]);
    expect(await saysOf('models', { ...env, ...source('openai:gpt-4-old') })).toEqual([
      'wrong: src/agent.ts names the model openai:gpt-4-old, which the proxy does not serve. It serves openai:gpt-5: correct the name, or set VITRINE_MODELS.',
    ]);
  });

  it('a proxy that answers, another server and silence are told apart', async () => {
    const proxy = requestListener(createInferenceProxy({ models: [offlineModel()] }));
    const server = createServer((request, response) => {
      if (request.url?.startsWith('/other')) response.writeHead(404).end('nothing');
      else proxy(request, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await saysOf('reach', page, { url: base })).toEqual([
      `fine: The proxy answers at ${base}/v1/models.`,
    ]);
    expect(await saysOf('reach', page, { url: `${base}/other` })).toEqual([
      expect.stringMatching(/^wrong: .* answers 404 without models\. Mount the proxy there/),
    ]);
    server.close();
    expect(await saysOf('reach', page)).toEqual([expect.stringMatching(/^note: Nothing answers at /)]);
  });

  it('a policy that lets the page ask nobody is named', async () => {
    const policyOf = (text: string) => ({
      'index.html': `<meta http-equiv="Content-Security-Policy" content="${text}">`,
    });
    expect(await saysOf('csp', policyOf("default-src 'none'; script-src 'self'"))).toEqual([
      "wrong: The policy in index.html lets the page ask nobody (connect-src 'none'). Add connect-src 'self', or the address of the proxy.",
    ]);
    expect(await saysOf('csp', policyOf("default-src 'none'; connect-src 'self'"))).toEqual([
      expect.stringMatching(/^fine/),
    ]);
    expect(await saysOf('csp', {})).toEqual([]);
  });

  it('a page without a store is told that its conversations end with it', async () => {
    expect(await saysOf('storage', page)).toEqual([expect.stringMatching(/^note: No source names a store/)]);
    expect(await saysOf('storage', { 'src/app.tsx': `${page['src/app.tsx']} browserSessions();` })).toEqual([
      'fine: src/app.tsx keeps conversations by browserSessions.',
    ]);
  });
});
