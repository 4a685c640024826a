import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changedFiles } from '../../scripts/changed-since.ts';
import { examplesOf } from '../../scripts/docs/examples.ts';
import { packageFolders } from '../../scripts/packages.ts';
import { root } from '../../scripts/root.ts';
import { run } from '../../scripts/run.ts';

// Where the examples find our packages and those of peers.
const work = `${root}/tests/peers/.examples`;
mkdirSync(work, { recursive: true });
afterAll(() => rmSync(work, { recursive: true }));

const guide = readdirSync(`${root}/docs/guide`).filter((file) => file.endsWith('.md'));
const packages = packageFolders.map((folder) => `${folder}/README.md`);
const pages = [...guide.map((file) => `docs/guide/${file}`), 'docs/skills/vitrine/SKILL.md', ...packages];

const readPage = (page: string): string => readFileSync(`${root}/${page}`, 'utf8');

// The example of the README without a file name is one of readme-example.test.tsx.
const examples = [...pages, 'README.md'].flatMap((page) =>
  examplesOf(readPage(page))
    .filter(({ kind, title }) => page !== 'README.md' || kind === 'ts' || title !== null)
    .map((example, index) => ({ ...example, page, name: `${page} ${index + 1}` })),
);

// Files that only Next can run are those of an application, which a test of its own builds and visits.
const nextApp = readdirSync(`${root}/tests/next-app`, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.jsx?$/.test(file))
  .map((file) => readFileSync(`${root}/tests/next-app/${file}`, 'utf8'));
const nextFiles = pages.flatMap((page) =>
  [...readPage(page).matchAll(/```jsx?(?: title="[^"\n]+")?\n([\s\S]*?)```/g)].map(
    ([, code = ''], index) => ({
      name: `${page}, file ${index + 1}`,
      code,
    }),
  ),
);

// The proxy stays outside, as on a server that bundles: SQLite runs in a thread, which is a file of its own.
const external = 'react react-dom @a2ui/* @tanstack/* @testing-library/* zod zustand @vitrine/proxy'.split(
  ' ',
);

type Example = (typeof examples)[number];

/** The packages that only `npm run prove` installs. */
const peers = Object.keys(
  (JSON.parse(readFileSync(`${root}/tests/peers/package.json`, 'utf8')) as { dependencies: object })
    .dependencies,
).filter((name) => !existsSync(`${root}/node_modules/${name}`));

const isWithoutProofs = process.env['WITHOUT_PROOFS'] !== undefined;
/** The examples whose types are checked: all in `npm run prove`, those without packages of peers in `npm test`. */
const checked = isWithoutProofs ? examplesWithoutPeers() : examples;
/** The examples that run: those of changed pages in `npm test`. */
const played = isWithoutProofs ? examplesOfChangedPages() : examples;

function examplesWithoutPeers(): readonly Example[] {
  return examples.filter(({ program }) => !peers.some((name) => program.includes(` from '${name}`)));
}

function examplesOfChangedPages(): readonly Example[] {
  const changed = new Set(changedFiles());
  return checked.filter(({ page }) => changed.has(page));
}

/**
 * True for an example that is bundled with the packages first. Node runs TypeScript without a build, but not JSX, its own or
 * that of `@vitrine/react`, and finds no file without its ending.
 */
function isBundled({ kind, program }: Example): boolean {
  const isForNode = kind === 'ts' && !program.includes("'@vitrine/react'");
  return !isForNode || / from '\.[^']*(?<!\.ts)'/.test(program);
}

/** The file of an example that Node runs. */
function runnable(example: Example): string {
  const file = written(example);
  return isBundled(example) ? file.replace(/\.tsx?$/, '.mjs') : file;
}

/** Bundles examples together: what they share is built once. */
async function bundle(chosen: readonly Example[]): Promise<void> {
  await build({
    entryPoints: chosen.map(written),
    outdir: work,
    outbase: work,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    jsx: 'automatic',
    conditions: ['@vitrine/source'],
    // Styles are for the bundler of the reader.
    loader: { '.css': 'empty' },
    external,
  });
}

/** Writes an example into a folder of its page, beside the files that the page names, so that it may import them. */
function written({ page, name, kind, title, program }: Example): string {
  const folder = `${work}/${fileName(page)}/${dirname(title ?? '.')}`;
  mkdirSync(folder, { recursive: true });
  const file = `${folder}/${fileName(name)}.${kind}`;
  writeFileSync(file, program);
  return file;
}

/** The functions of example-model.ts, and a package that brings no types. */
const declarations = `
declare function modelAnswers(...steps: readonly import('@vitrine/testing').ScriptedEntry[]): void;
declare module 'express';
`;

function fileName(text: string): string {
  return text.replaceAll(/\W+/g, '-');
}

describe('the examples of the guide and of the READMEs', () => {
  beforeAll(async () => {
    for (const { page, title, code } of examples) {
      if (title === null) continue;
      const file = `${work}/${fileName(page)}/${title}`;
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, code);
      // The reader has them from the registry.
      if (code.includes("'./components/"))
        cpSync(`${root}/apps/registry`, `${dirname(file)}/components`, { recursive: true });
    }
    await bundle(played.filter(isBundled));
  });

  it.each(played)('$name prints what it says', { timeout: 30_000 }, async (example) => {
    const file = runnable(example);
    const preludes = [
      ...(example.program.includes('modelAnswers(') ? ['example-model.ts'] : []),
      ...(example.program.includes("'@testing-library/react'") ? ['example-page.ts'] : []),
    ].flatMap((prelude) => ['--import', `${root}/tests/public-api/${prelude}`]);
    const args = ['--conditions=@vitrine/source', ...preludes, file];
    const { output, ok } = await run('node', args, { quiet: true, cwd: dirname(file) });
    const promised = [...example.program.matchAll(/^\/\/ (.*)$/gm)].map((match) => match[1]);
    // The log of a proxy is for its operator, and so is its warning that there is no key.
    const printed = output
      .split('\n')
      .filter((line) => !/^$|^\{"at":|The offline demo model answers\.$/.test(line));
    expect(printed).toEqual(promised);
    expect(ok).toBe(true);
  });

  it('every example passes the strict checks of TypeScript', { timeout: 120_000 }, async () => {
    writeFileSync(`${work}/declarations.d.ts`, declarations);
    const tsconfig = {
      extends: '../../../tsconfig.base.json',
      compilerOptions: {
        noEmit: true,
        customConditions: ['@vitrine/source'],
        types: ['node', 'vite/client'],
        // Each example is a module of its own, and may define what only its reader uses.
        moduleDetection: 'force',
        noUnusedLocals: false,
        noUnusedParameters: false,
      },
      files: [...checked.map(written), `${work}/declarations.d.ts`],
    };
    writeFileSync(`${work}/tsconfig.json`, JSON.stringify(tsconfig));
    const tsc = `${root}/node_modules/.bin/tsc`;
    const { output } = await run(tsc, ['-p', `${work}/tsconfig.json`, '--pretty', 'false'], { quiet: true });
    expect(output.split('\n').filter((line) => line !== '')).toEqual([]);
  });

  it.each(nextFiles)('$name is one of tests/next-app', ({ code }) => {
    expect(nextApp).toContain(code);
  });

  it('every example with a button presses it', () => {
    const idle = examples.filter(
      ({ code, program }) => /<button|<form/.test(code) && !/fireEvent\.click/.test(program),
    );
    expect(idle.map(({ name }) => name)).toEqual([
      // Its server is that of tests/journeys.
      'docs/guide/server-runs.md 7',
    ]);
  });

  it('every page with runnable code has examples', () => {
    // The tables of these pages are made from the types.
    const isMade = (page: string): boolean => page.includes('/reference-');
    const without = pages.filter(
      (page) => !isMade(page) && !examples.some(({ name }) => name.startsWith(page)),
    );
    expect(without).toEqual([
      'docs/guide/README.md',
      'docs/guide/bridges.md',
      'docs/guide/compared.md',
      'docs/guide/debugger.md',
      'docs/guide/see-any-agent.md',
      'packages/cli/README.md',
      'packages/create-vitrine/README.md',
    ]);
  });
});
