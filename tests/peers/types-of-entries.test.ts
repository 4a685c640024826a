import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';
import { run } from '../../scripts/run.ts';

// Needs the builds.

const attw = join(root, 'tests/peers/node_modules/.bin/attw');

function entriesOf(name: string): readonly string[] {
  const manifest = readFileSync(join(root, 'packages', name, 'package.json'), 'utf8');
  return Object.keys((JSON.parse(manifest) as { readonly exports?: object }).exports ?? {});
}

// A package without exports is a program.
const packages = readdirSync(join(root, 'packages')).filter((name) => entriesOf(name).length > 0);

it.each(packages)('every bundler and runtime finds the types of %s', { timeout: 120_000 }, async (name) => {
  const styles = entriesOf(name).filter((path) => path.endsWith('.css'));
  const excluded =
    styles.length === 0 ? [] : ['--exclude-entrypoints', ...styles.map((path) => path.slice(2))];
  const args = ['--no-summary', '--profile', 'esm-only', ...excluded, '--pack', '.'];
  const { ok, output } = await run(attw, args, { cwd: join(root, 'packages', name), quiet: true });
  expect(ok, output).toBe(true);
});
