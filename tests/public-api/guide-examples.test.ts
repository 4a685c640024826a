import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';
import { run } from '../../scripts/run.ts';

// Inside the repository, so that the examples find the packages.
const work = `${root}/tests/public-api/.examples`;
mkdirSync(work, { recursive: true });
afterAll(() => rmSync(work, { recursive: true }));

const pages = readdirSync(`${root}/docs/guide`).filter((file) => file.endsWith('.md'));
const examples = pages.flatMap((page) => {
  const text = readFileSync(`${root}/docs/guide/${page}`, 'utf8');
  return [...text.matchAll(/```ts\n([\s\S]*?)```/g)].map((match, index) => ({
    name: `${page} ${index + 1}`,
    code: match[1] ?? '',
  }));
});

describe('the examples of the guide', () => {
  it.each(examples)('$name prints what it says', { timeout: 30_000 }, async ({ name, code }) => {
    const file = `${work}/${name.replaceAll(/\W+/g, '-')}.ts`;
    writeFileSync(file, code);
    const { output, ok } = await run('node', ['--conditions=@vitrine/source', file], { quiet: true });
    const promised = [...code.matchAll(/^\/\/ (.*)$/gm)].map((match) => match[1]);
    expect(output.trim().split('\n')).toEqual(promised);
    expect(ok).toBe(true);
  });

  it('are there', () => expect(examples.length).toBeGreaterThan(2));
});
