import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build as esbuild } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { build as vite, type Rolldown } from 'vite';
import { root } from '../../scripts/root.ts';
import { folderOfTest } from '../folder-of-test.ts';

/** An application of one file that uses what it imports from core. */
function application(code: string): string {
  const file = join(folderOfTest('bundle'), 'app.js');
  writeFileSync(file, code);
  return file;
}

/** The files that have something in the bundle of esbuild. */
async function withEsbuild(code: string): Promise<readonly string[]> {
  const { metafile } = await esbuild({
    entryPoints: [application(code)],
    bundle: true,
    format: 'esm',
    write: false,
    metafile: true,
    minify: true,
    conditions: ['@vitrine/source'],
    nodePaths: [`${root}/node_modules`],
  });
  return Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  );
}

/** The files that have something in the bundle of Vite. */
async function withVite(code: string): Promise<readonly string[]> {
  const { output } = (await vite({
    configFile: false,
    root,
    logLevel: 'silent',
    resolve: {
      conditions: ['@vitrine/source'],
      alias: { '@vitrine/core': `${root}/packages/core/src/index.ts` },
    },
    build: {
      write: false,
      target: 'es2022',
      rolldownOptions: { input: application(code), preserveEntrySignatures: 'strict' },
    },
  })) as Rolldown.RolldownOutput;
  const chunks = output.filter((chunk) => chunk.type === 'chunk');
  return chunks.flatMap(({ modules }) =>
    Object.entries(modules).flatMap(([file, { renderedLength }]) => (renderedLength > 0 ? [file] : [])),
  );
}

const ofZod = (files: readonly string[]): readonly string[] =>
  files.filter((file) => file.includes('node_modules/zod/'));

describe.each([
  ['esbuild', withEsbuild],
  ['Vite', withVite],
])('a bundle of %s', (_name, bundle) => {
  it('a bundle that only uses stop reasons contains no zod', async () => {
    const files = await bundle(
      "import { StopReason } from '@vitrine/core'; export const all = StopReason.stopReasons;",
    );
    expect(files.some((file) => file.endsWith('graph/stop-reason.ts'))).toBe(true);
    expect(ofZod(files)).toEqual([]);
  });

  it('a bundle that reads documents contains no zod, and one with a schema does', async () => {
    const files = await bundle(
      "import { AgentState } from '@vitrine/core'; export const read = AgentState.fromJSON;",
    );
    expect(files.some((file) => file.endsWith('graph/shapes.ts'))).toBe(true);
    expect(ofZod(files)).toEqual([]);
    const schema = `import * as z from '${root}/node_modules/zod/index.js'; export const name = z.string();`;
    expect(ofZod(await bundle(schema))).not.toEqual([]);
  });
});
