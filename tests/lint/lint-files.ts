import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../../scripts/root.ts';
import { folderOfTest } from '../folder-of-test.ts';

/** Lints files in a folder of their own with the configuration of this repository. */
export function lintFiles(files: Readonly<Record<string, string>>): { ok: boolean; output: string } {
  const directory = folderOfTest('lint');
  const all = { ...files, 'oxlint.config.ts': `export { default } from '${root}/oxlint.config.ts';\n` };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
  }
  const { status, stdout, stderr } = spawnSync(
    join(root, 'node_modules/.bin/oxlint'),
    ['--deny-warnings', '--ignore-pattern', 'oxlint.config.ts'],
    // Where CI is set it paints its lines, and no place stands in one piece.
    { cwd: directory, encoding: 'utf8', env: { ...withoutColor(), NO_COLOR: '1' } },
  );
  return { ok: status === 0, output: `${stdout}${stderr}` };
}

function withoutColor(): NodeJS.ProcessEnv {
  const { FORCE_COLOR: _forced, CI: _painted, ...env } = process.env;
  return env;
}
