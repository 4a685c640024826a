import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { afterAll, describe, expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';
import { run } from '../../scripts/run.ts';

// Inside the repository, so that the examples find the packages.
const work = `${root}/tests/public-api/.examples`;
mkdirSync(work, { recursive: true });
afterAll(() => rmSync(work, { recursive: true }));

const guide = readdirSync(`${root}/docs/guide`).filter((file) => file.endsWith('.md'));
const packages = readdirSync(`${root}/packages`).map((name) => `packages/${name}/README.md`);
const pages = [...guide.map((file) => `docs/guide/${file}`), ...packages];

// The first example of the README is a page; readme-example.test.tsx uses it.
const examples = [...pages, 'README.md'].flatMap((page) => {
  const text = readFileSync(`${root}/${page}`, 'utf8');
  const blocks = page === 'README.md' ? /```(ts)\n([\s\S]*?)```/g : /```(tsx?)\n([\s\S]*?)```/g;
  return [...text.matchAll(blocks)].map(([, kind = 'ts', code = ''], index) => ({
    name: `${page} ${index + 1}`,
    kind,
    code,
  }));
});

// Files that only Next can run are those of an application, which a test of its own builds and visits.
const nextApp = readdirSync(`${root}/tests/next-app`, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.jsx?$/.test(file))
  .map((file) => readFileSync(`${root}/tests/next-app/${file}`, 'utf8'));
const nextFiles = pages.flatMap((page) =>
  [...readFileSync(`${root}/${page}`, 'utf8').matchAll(/```jsx?\n([\s\S]*?)```/g)].map(
    ([, code = ''], index) => ({ name: `${page}, file ${index + 1}`, code }),
  ),
);

/** Node runs TypeScript as it stands, but no JSX: that is put together with the packages first. */
async function runnable(name: string, kind: string, code: string): Promise<string> {
  const file = `${work}/${name.replaceAll(/\W+/g, '-')}.${kind}`;
  writeFileSync(file, code);
  if (kind === 'ts') return file;
  await build({
    entryPoints: [file],
    outfile: `${file}.mjs`,
    bundle: true,
    platform: 'node',
    format: 'esm',
    jsx: 'automatic',
    conditions: ['@vitrine/source'],
    // The proxy stays outside, as on a server that bundles: SQLite runs in a thread, which is a file of its own.
    external: ['react', 'react-dom', '@tanstack/*', 'zod', 'zustand', '@vitrine/proxy'],
  });
  return `${file}.mjs`;
}

describe('the examples of the guide and of the READMEs', () => {
  it.each(examples)('$name prints what it says', { timeout: 30_000 }, async ({ name, kind, code }) => {
    const file = await runnable(name, kind, code);
    const { output, ok } = await run('node', ['--conditions=@vitrine/source', file], { quiet: true });
    const promised = [...code.matchAll(/^\/\/ (.*)$/gm)].map((match) => match[1]);
    // The examples have no key, and a proxy without one warns its operator.
    const printed = output
      .split('\n')
      .filter((line) => line !== '' && !line.endsWith('The offline demo model answers.'));
    expect(printed).toEqual(promised);
    expect(ok).toBe(true);
  });

  it.each(nextFiles)('$name is one of tests/next-app', ({ code }) => {
    expect(nextApp).toContain(code);
  });

  it('every page with runnable code has examples', () => {
    const without = pages.filter((page) => !examples.some(({ name }) => name.startsWith(page)));
    expect(without).toEqual(['docs/guide/README.md', 'docs/guide/compared.md', 'docs/guide/php-names.md']);
  });
});
