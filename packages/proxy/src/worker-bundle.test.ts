import { build } from 'esbuild';
import { expect, it } from 'vitest';

/** What a bundle of an entry imports that no bundler can put into it. */
async function outsideOf(entry: string): Promise<string[]> {
  const { metafile } = await build({
    stdin: { contents: `export * from ${JSON.stringify(entry)};`, resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['@vitrine/source', 'workerd', 'worker', 'import'],
    external: ['node:*'],
    logLevel: 'silent',
  });
  return Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
}

it('the package root goes into a worker: it takes nothing of Node', async () => {
  expect(await outsideOf('@vitrine/proxy')).toEqual([]);
});

it('what serves on Node stands apart, and is seen', async () => {
  expect(await outsideOf('@vitrine/proxy/node').catch(String)).not.toEqual([]);
});
