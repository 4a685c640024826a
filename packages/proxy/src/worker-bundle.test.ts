import { build } from 'esbuild';
import { expect, it } from 'vitest';

/** The imports of a bundled entry that no bundler can include. */
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

it('the package root can be bundled for a worker: it uses nothing of Node', async () => {
  expect(await outsideOf('@vitrine/proxy')).toEqual([]);
});

it('the entry for Node is separate, and the test sees it', async () => {
  expect(await outsideOf('@vitrine/proxy/node').catch(String)).not.toEqual([]);
});
