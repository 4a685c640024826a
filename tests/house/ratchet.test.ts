import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';
import type { SizeBudget } from '../../scripts/size-budgets.ts';
import type { Budget } from './budgets.ts';
import { type Bounds, unpaidRises } from './ratchet.ts';

const files = ['tests/house/budgets.ts', 'scripts/size-budgets.ts'] as const;

const git = (...args: readonly string[]): string =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 10_000_000 }).trim();

/** The values that the text of a module exports; the module imports types at most. */
async function evaluate(text: string): Promise<Record<string, unknown>> {
  const { code } = await transform(text, { loader: 'ts', format: 'esm' });
  return (await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(code)}`)) as Record<
    string,
    unknown
  >;
}

async function readBounds(read: (path: string) => string): Promise<Bounds> {
  const [house, sizes] = await Promise.all(files.map((path) => evaluate(read(path))));
  const budgets = Object.entries((house?.['budgets'] ?? {}) as Record<string, Budget>);
  const sizeBudgets = (sizes?.['sizeBudgets'] ?? []) as readonly SizeBudget[];
  return Object.fromEntries([
    ...budgets.map(([name, { unit, bound }]) => [name, { unit, bound }]),
    ...sizeBudgets.flatMap(({ name, limits }) =>
      Object.entries(limits).map(([bundler, bound]) => [`${name} (${bundler})`, { unit: 'bytes', bound }]),
    ),
  ]) as Bounds;
}

const ofCommit = (commit: string): Promise<Bounds> => readBounds((path) => git('show', `${commit}:${path}`));

/** False for sources without their history, as an archive has them. */
const hasHistory = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root }).status === 0;

describe('the ratchet', () => {
  it.runIf(hasHistory)(
    'a bound of the working tree rises only when others of its unit fall by as much',
    async () => {
      const now = await readBounds((path) => readFileSync(join(root, path), 'utf8'));
      expect(Object.keys(now).length).toBeGreaterThan(30);
      expect(unpaidRises(await ofCommit('HEAD'), now)).toEqual([]);
    },
  );

  it.runIf(hasHistory)('each of the last commits that changed bounds kept their sums', async () => {
    // The ratchet holds since it was built. A shallow clone shows what it has.
    const [begin = 'HEAD'] = git(
      'log',
      '--diff-filter=A',
      '--format=%H',
      '--',
      'tests/house/ratchet.ts',
    ).split('\n');
    if (begin === '' || git('rev-parse', '--is-shallow-repository') === 'true') return;
    const commits = git('log', '-20', '--format=%H', `${begin}..HEAD`, '--', ...files)
      .split('\n')
      .filter(Boolean);
    for (const commit of commits)
      expect(unpaidRises(await ofCommit(`${commit}^`), await ofCommit(commit)), commit.slice(0, 10)).toEqual(
        [],
      );
  });

  it('a rise is refused without a fall of the same unit, and paid by one', () => {
    const before = {
      a: { unit: 'files', bound: 10 },
      b: { unit: 'files', bound: 5 },
      c: { unit: 'bytes', bound: 9 },
    };
    const after = (a: number, b: number, c: number): Bounds => ({
      a: { unit: 'files', bound: a },
      b: { unit: 'files', bound: b },
      c: { unit: 'bytes', bound: c },
    });
    expect(unpaidRises(before, after(11, 5, 8))).toEqual(['files: a 10 -> 11; 1 more than others fell by']);
    expect(unpaidRises(before, after(11, 4, 9))).toEqual([]);
    expect(unpaidRises(before, after(9, 4, 9))).toEqual([]);
  });

  it('a new row of lines or names takes its room from the others, one of another unit does not', () => {
    const before = { core: { unit: 'lines', bound: 100 } };
    const bytes = { unit: 'bytes', bound: 7 };
    expect(
      unpaidRises(before, {
        core: { unit: 'lines', bound: 60 },
        persist: { unit: 'lines', bound: 40 },
        bytes,
      }),
    ).toEqual([]);
    expect(
      unpaidRises(before, { core: { unit: 'lines', bound: 61 }, persist: { unit: 'lines', bound: 40 } }),
    ).toHaveLength(1);
  });
});
