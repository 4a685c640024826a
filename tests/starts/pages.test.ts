import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';
import { closeBrowser } from '../matrix/visit.ts';
import { chatAnswers } from './chat-answers.ts';
import { type OllamaServer, serveOllama } from './ollama-server.ts';
import { type Registry, serveRegistry } from './registry.ts';
import { Shell } from './shell.ts';

// The starting points of the guide, done as their pages print them, from an empty folder with the packed packages.
// STARTS=all tries them; a page may take five commands and forty lines.

/** The pages, with the commands that make what a page expects to be there. */
const pages = {
  'start-vite': [],
  'start-next': [
    'npx --yes create-next-app@16 my-app --ts --app --no-src-dir --no-tailwind --no-linter --no-react-compiler --no-import-alias --use-npm --yes',
    'cd my-app',
  ],
  'start-server': [
    'npm create --yes vite@latest my-app -- --template react-ts --no-interactive',
    'cd my-app',
    'npm install',
  ],
  'start-ollama': [],
  'start-no-backend': [],
} as const;
type Page = keyof typeof pages;
const chosen = process.env['STARTS'] === 'all' ? (Object.keys(pages) as Page[]) : [];

/** The port that Ollama listens on. */
const portOfOllama = 11_434;

const folder = mkdtempSync(join(tmpdir(), 'vitrine-pages-'));
let registry: Registry;
let ollama: OllamaServer | null = null;
let shell: Shell | null = null;
beforeAll(async () => {
  if (chosen.length === 0) return;
  registry = await serveRegistry();
  ollama = await serveOllama(portOfOllama);
});
afterEach(() => shell?.close());
afterAll(async () => {
  await closeBrowser();
  await ollama?.close();
  if (chosen.length > 0) await registry.close();
  rmSync(folder, { recursive: true, force: true });
});

type Step =
  | { readonly kind: 'command'; readonly text: string }
  | { readonly kind: 'file'; readonly path: string; readonly text: string };

/** Lists what a page asks of its reader up to the first answer: commands to run, and files to write. */
function stepsOf(page: Page): readonly Step[] {
  const text = readFileSync(join(root, 'docs/guide', `${page}.md`), 'utf8').replaceAll(
    /<!--[\s\S]*?-->/g,
    '',
  );
  const steps = [...text.matchAll(/```(\w+)(?: title="([^"]+)")?\n([\s\S]*?)```/g)].flatMap(
    ([, language, path, block = '']): Step[] => {
      if (language === 'sh') return commandsIn(block);
      return path === undefined ? [] : [{ kind: 'file', path, text: block }];
    },
  );
  return steps.slice(0, steps.findLastIndex(isServing) + 1);
}

function commandsIn(block: string): Step[] {
  return block
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((text) => ({ kind: 'command', text }));
}

/** Returns true for a command that goes on until it is stopped. */
function isServing({ kind, text }: Step): boolean {
  return kind === 'command' && /^(?:npm run dev|npm start|node )/.test(text);
}

it.each(Object.keys(pages) as Page[])('the page %s takes at most five commands and forty lines', (page) => {
  const steps = stepsOf(page);
  const commands = steps.filter(({ kind }) => kind === 'command');
  const lines = steps.flatMap((step) => (step.kind === 'file' ? step.text.split('\n') : []));
  expect(commands.some(isServing)).toBe(true);
  expect(commands.length).toBeLessThanOrEqual(5);
  expect(lines.filter((line) => line.trim() !== '').length).toBeLessThanOrEqual(40);
});

it.runIf(chosen.length > 0).each(chosen)(
  'the page %s leads to an answer and the panel',
  { timeout: 900_000 },
  async (page) => {
    const place = join(folder, page);
    // Where the model of this page is pulled from is of no interest: the server has it.
    mkdirSync(join(place, 'bin'), { recursive: true });
    writeFileSync(join(place, 'bin/ollama'), '#!/bin/sh\n', { mode: 0o755 });
    shell = new Shell(place, { npm_config_registry: registry.url, npm_config_yes: 'true' }, [
      join(place, 'bin'),
    ]);
    for (const command of pages[page]) await shell.run(command);
    const began = performance.now();
    let address = Promise.resolve('');
    for (const step of stepsOf(page)) {
      if (step.kind === 'file') {
        const file = join(shell.folder, step.path);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, step.text);
      } else if (isServing(step)) address = shell.serve(step.text);
      else await shell.run(step.text);
    }
    await chatAnswers(`${await address}${page === 'start-next' ? '/chat' : ''}`, { hasPanel: true });
    process.stdout.write(`${page}: ${Math.round((performance.now() - began) / 1000)} s\n`);
  },
);
