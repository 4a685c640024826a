import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { root } from '../../scripts/root.ts';
import { temporaryFolder } from '../../scripts/temporary-folder.ts';

declare module 'vitest' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- it is added to
  interface ProvidedContext {
    /** The address of the demo, built for development: in one piece, with React's warnings. */
    readonly demoPage: string;
  }
}

/** Builds the demo once for all journeys that do not look at how its sources are served. */
export async function setup({ provide }: TestProject): Promise<void> {
  const folder = temporaryFolder('demo');
  const args = ['build', '--mode', 'development', '--minify', 'false', '--outDir', folder, '--emptyOutDir'];
  const env = { ...process.env, NODE_ENV: 'development', VITEST: '' };
  await promisify(execFile)(process.execPath, ['node_modules/vite/bin/vite.js', ...args], { cwd: root, env });
  provide('demoPage', folder);
}
