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
  'start-use-chat': [
    'npx --yes create-next-app@16 my-app --ts --app --no-src-dir --tailwind --no-linter --no-react-compiler --no-import-alias --use-npm --yes',
    'cd my-app',
    'npm install ai@7 @ai-sdk/react@4 @ai-sdk/openai-compatible zod',
  ],
} as const;
type Page = keyof typeof pages;
const chosen = (Object.keys(pages) as Page[]).filter((page) =>
  ['all', page].includes(process.env['STARTS'] ?? ''),
);

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
  | { readonly kind: 'file' | 'diff'; readonly path: string; readonly text: string };

/** Lists what a page asks of its reader up to the first answer: commands to run, and files to write. */
function stepsOf(page: Page): readonly Step[] {
  const text = readFileSync(join(root, 'docs/guide', `${page}.md`), 'utf8').replaceAll(
    /<!--[\s\S]*?-->/g,
    '',
  );
  const steps = [...text.matchAll(/```(\w+)(?: title="([^"]+)")?\n([\s\S]*?)```/g)].flatMap(
    ([, language, path, block = '']): Step[] => {
      if (language === 'sh') return commandsIn(block);
      const kind = language === 'diff' ? 'diff' : 'file';
      return path === undefined ? [] : [{ kind, path, text: block }];
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

/** Writes a file, or changes it as a diff says. @throws Error when a part of the diff is not in the file once. */
function write(folder: string, { kind, path, text }: Exclude<Step, { kind: 'command' }>): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  if (kind === 'file') return writeFileSync(file, text);
  let changed = readFileSync(file, 'utf8');
  for (const part of text.split(/^@@.*\n/m)) {
    const lines = part.split(/(?<=\n)/);
    const side = (mark: RegExp): string =>
      lines.flatMap((line) => (mark.test(line) ? [line.slice(1)] : [])).join('');
    const [before, ...after] = changed.split(side(/^[ -]/));
    if (after.length !== 1) throw new Error(`${path} does not contain once:\n${side(/^[ -]/)}`);
    changed = `${before}${side(/^[ +]/)}${after[0]}`;
  }
  return writeFileSync(file, changed);
}

/** The application that the quick start of the AI SDK for Next makes, with a model of the local server. */
function quickStart(): Exclude<Step, { kind: 'command' }>[] {
  const page = join(root, 'node_modules/ai/docs/02-getting-started/02-nextjs-app-router.mdx');
  const files = readFileSync(page, 'utf8').matchAll(/```tsx filename="([^"]+)"[^\n]*\n([\s\S]*?)```/g);
  // The page builds each file step by step: the last one counts.
  return [...new Map([...files].map(([, path = '', text = '']) => [path, text]))].map(([path, text]) => ({
    kind: 'file',
    path,
    text: text
      .replace('__PROVIDER_IMPORT__', "import { createOpenAICompatible } from '@ai-sdk/openai-compatible'")
      .replace(
        '__MODEL__',
        `createOpenAICompatible({ name: 'ollama', baseURL: 'http://localhost:${portOfOllama}/v1' })('llama3.2')`,
      ),
  }));
}

/** The message box and the answers of that application, which has no button. */
const quickStartChat = {
  box: 'Say something...',
  send: null,
  answer: 'div.whitespace-pre-wrap:has-text("AI: ")',
};

it.each(Object.keys(pages) as Page[])('the page %s takes at most five commands and forty lines', (page) => {
  const steps = stepsOf(page);
  const commands = steps.filter(({ kind }) => kind === 'command');
  const lines = steps.flatMap(({ kind, text }) => {
    if (kind === 'command') return [];
    return text.split('\n').filter((line) => (kind === 'diff' ? /^[+-]./ : /\S/).test(line));
  });
  expect(commands.some(isServing)).toBe(true);
  expect(commands.length).toBeLessThanOrEqual(5);
  expect(lines.length).toBeLessThanOrEqual(40);
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
    if (page === 'start-use-chat') {
      for (const file of quickStart()) write(shell.folder, file);
      await chatAnswers(await shell.serve('npm run dev'), { hasPanel: false, ...quickStartChat });
      await shell.close();
    }
    const began = performance.now();
    let address = Promise.resolve('');
    for (const step of stepsOf(page)) {
      if (step.kind !== 'command') write(shell.folder, step);
      else if (isServing(step)) address = shell.serve(step.text);
      else await shell.run(step.text);
    }
    await chatAnswers(`${await address}${page === 'start-next' ? '/chat' : ''}`, {
      hasPanel: true,
      ...(page === 'start-use-chat' ? { ...quickStartChat, isKept: true } : {}),
    });
    if (page === 'start-use-chat') await shell.run('npx tsc --noEmit');
    process.stdout.write(`${page}: ${Math.round((performance.now() - began) / 1000)} s\n`);
  },
);
