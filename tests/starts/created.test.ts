import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { closeBrowser } from '../matrix/visit.ts';
import { chatAnswers } from './chat-answers.ts';
import { type OllamaServer, serveOllama } from './ollama-server.ts';
import { type Registry, serveRegistry } from './registry.ts';
import { Shell } from './shell.ts';

// Every template of `npm create vitrine`, created, installed, built and used as a stranger would. Needs the builds.
// `npm test` tries the first; STARTS=all tries all.

const templates = {
  vite: { serve: 'npm run dev', production: 'npm run preview' },
  next: { serve: 'npm run dev', production: 'npm start' },
  express: { serve: 'npm run dev', production: 'npm start' },
  ollama: { serve: 'npm run dev', production: 'npm run preview' },
  'no-backend': { serve: 'npm run dev', production: 'npm run preview' },
} as const;
const chosen =
  process.env['STARTS'] === 'all' ? Object.entries(templates) : Object.entries(templates).slice(0, 1);

const folder = mkdtempSync(join(tmpdir(), 'vitrine-created-'));
let registry: Registry;
let ollama: OllamaServer;
let shell: Shell | null = null;
beforeAll(async () => {
  registry = await serveRegistry();
  ollama = await serveOllama();
});
afterEach(() => shell?.close());
afterAll(async () => {
  await closeBrowser();
  await registry.close();
  await ollama.close();
  rmSync(folder, { recursive: true, force: true });
});

it.each(chosen)(
  'the template %s installs, builds, answers and opens the panel',
  { timeout: 600_000 },
  async (template, { serve, production }) => {
    shell = new Shell(folder, {
      npm_config_registry: registry.url,
      ...(template === 'ollama' ? { OPENAI_COMPATIBLE_BASE_URL: `${ollama.url}/v1` } : {}),
    });
    await shell.run(`npm create --yes vitrine ${template} -- --template ${template}`);
    await shell.run(`cd ${template}`);
    expect(
      readdirSync(shell.folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
        .length,
    ).toBeLessThanOrEqual(12);
    await shell.run('npm install --no-audit --no-fund --prefer-offline');
    await chatAnswers(await shell.serve(serve), { hasPanel: true });
    await shell.close();
    // In production a proxy without a key refuses to start, unless somebody asks for the demo model.
    if (template !== 'ollama') shell.set('VITRINE_MODELS', 'demo:offline');
    await shell.run('npm run build');
    await chatAnswers(await shell.serve(production), { hasPanel: false });
  },
);

it('packages that are installed one after the other agree on their peers', { timeout: 600_000 }, async () => {
  shell = new Shell(folder, { npm_config_registry: registry.url });
  await shell.run('mkdir by-hand');
  await shell.run('cd by-hand');
  await shell.run('npm init --yes');
  for (const names of [
    'react react-dom',
    '@vitrine/devtools',
    '@vitrine/react zustand @tanstack/react-query',
  ])
    await shell.run(`npm install --no-audit --no-fund --prefer-offline ${names}`);
});
