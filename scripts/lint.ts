import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lintOverrides } from './lint-rules.ts';
import { root } from './root.ts';

/** The linter's whole configuration: the hand-written part and the rules of direction. */
export function lintConfig(): object {
  const base = JSON.parse(readFileSync(join(root, '.oxlintrc.json'), 'utf8')) as { overrides: object[] };
  return { ...base, overrides: [...base.overrides, ...lintOverrides()] };
}

/** Lints folders below a directory; the output says what was found. */
export function lint(directory: string, folders: readonly string[]): { ok: boolean; output: string } {
  // Beside the code: the linter reads the globs of its overrides from where its configuration stands.
  const config = join(directory, '.oxlintrc.generated.json');
  writeFileSync(config, JSON.stringify(lintConfig()));
  const oxlint = join(root, 'node_modules/.bin/oxlint');
  const { status, stdout, stderr } = spawnSync(
    oxlint,
    ['-c', config, '--import-plugin', '--deny-warnings', ...folders],
    {
      cwd: directory,
      encoding: 'utf8',
    },
  );
  rmSync(config);
  const named = namedZodImports(directory);
  const output = `${stdout}${stderr}${named.map((file) => `${file}: write import * as z from 'zod'; the named import ships all of zod.\n`).join('')}`;
  const files = Number(/on (\d+) files?/.exec(output)?.[1] ?? 0);
  // A linter that looked at nothing has found nothing wrong, which proves nothing.
  return {
    ok: status === 0 && files > 0 && named.length === 0,
    output: files > 0 ? output : `${output}\nNo file was linted.`,
  };
}

/** The linter's own rule for restricted names takes the namespace import for one of them. */
function namedZodImports(directory: string): string[] {
  const files = globSync('packages/*/src/**/*.{ts,tsx}', { cwd: directory });
  return files.filter((file) =>
    /import \{[^}]*\bz\b[^}]*\} from 'zod/.test(readFileSync(join(directory, file), 'utf8')),
  );
}

if (process.argv[1] === import.meta.filename) {
  const { ok, output } = lint(root, ['packages', 'apps', 'tests', 'benches', 'scripts', 'vite.config.ts']);
  process.stdout.write(output);
  process.exit(ok ? 0 : 1);
}
