import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { timedAssertions } from '../../scripts/lint/timed-assertions.ts';
import { root } from '../../scripts/root.ts';
import { folderOfTest } from '../folder-of-test.ts';

const isLeftOut = (path: string): boolean => /(^|[/\\])(node_modules|dist|benches|\.[\w-]+)$/.test(path);

/** The test files of a tree, with the files beside them that help tests; benches measure and are left out. */
function testFiles(tree: string): string[] {
  const patterns = ['**/*.{test,browser.test,fixture}.{ts,tsx}', 'tests/**/*.{ts,tsx}'];
  return [...new Set(globSync(patterns, { cwd: tree, exclude: isLeftOut }))].toSorted();
}

function timedIn(tree: string): string[] {
  return testFiles(tree).flatMap((path) =>
    timedAssertions(path, readFileSync(join(tree, path), 'utf8')).map(
      ({ line, text }) => `${path}:${line} ${text}`,
    ),
  );
}

const timed = (text: string): string[] => timedAssertions('a.test.ts', text).map((found) => found.text);

describe('the rule that tests never time', () => {
  it('the tests of this repository assert on no measured time', { timeout: 60_000 }, () => {
    const files = testFiles(root);
    expect(files.length).toBeGreaterThan(450);
    for (const area of [
      'apps/demo',
      'bridges/mcp',
      'packages/core',
      'packages/persist',
      'packages/devtools',
      'packages/proxy',
      'packages/react',
    ])
      expect(
        files.some((path) => path.startsWith(area)),
        area,
      ).toBe(true);
    expect(timedIn(root)).toEqual([]);
  });

  it('an assertion that is planted in a tree of files is reported with its file and line', () => {
    const tree = folderOfTest('timed');
    const planted = 'const begin = performance.now();\nexpect(performance.now() - begin).toBeLessThan(5);\n';
    const paths = ['packages/core/src/kit/a.test.ts', 'tests/journeys/b.ts', 'apps/demo/src/c.test.tsx'];
    for (const path of [...paths, 'benches/d.test.ts', 'packages/core/src/kit/e.ts']) {
      mkdirSync(dirname(join(tree, path)), { recursive: true });
      writeFileSync(join(tree, path), planted);
    }
    expect(timedIn(tree).map((found) => found.split(' ')[0])).toEqual(
      paths.map((path) => `${path}:2`).toSorted(),
    );
  });

  it.each([
    [
      'a difference in a variable',
      'const a = Date.now(); const took = Date.now() - a; expect(took).toBeLessThan(9);',
    ],
    [
      'the result of a helper',
      'async function timed(f) { const a = performance.now(); await f(); return performance.now() - a; }\nexpect(await timed(run)).toBeLessThan(9);',
    ],
    [
      'a median of several',
      'const all = []; const a = Date.now(); all.push(Date.now() - a);\nconst median = all.toSorted()[3]; expect(median).toBeLessThan(9);',
    ],
    [
      'the time of the processor',
      'const a = process.cpuUsage(); const { user } = process.cpuUsage(a); expect(user / 1000).toBeLessThan(9);',
    ],
    [
      'a high-resolution time',
      'const a = process.hrtime.bigint(); expect(process.hrtime.bigint() - a).toBeLessThan(9n);',
    ],
    ['a reading of the clock', 'const a = Date.now(); expect(state.startedAt).toBeGreaterThanOrEqual(a);'],
    ['a duration of the library', 'expect(step?.durationMs).toBeGreaterThan(20);'],
    ['a soft assertion', 'const a = Date.now(); expect.soft(Date.now() - a, "time").not.toBeGreaterThan(9);'],
    [
      'a measurement in a page',
      'const ms = await page.evaluate(() => { const a = performance.now(); work(); return performance.now() - a; }); expect(ms).toBeLessThan(9);',
    ],
  ])('%s is found', (_what, text) => {
    expect(timed(text)).toHaveLength(1);
  });

  it.each([
    [
      'a simulated clock',
      'it("a", () => { vi.useFakeTimers(); const a = Date.now(); run(); expect(Date.now() - a).toBeLessThan(9); });',
    ],
    [
      'the simulated clock of a hook',
      'describe("a", () => { beforeEach(() => void vi.useFakeTimers()); it("b", () => { const a = Date.now(); expect(Date.now() - a).toBeLessThan(9); }); });',
    ],
    ['a given clock', 'expect(until).toBeGreaterThan(env.now());'],
    [
      'a time in the past as an input',
      'const past = run({ deadline: Date.now() - 1 }); expect(past.steps).toBeLessThan(2);',
    ],
    ['a duration that is not negative', 'expect(step.durationMs).toBeGreaterThanOrEqual(0);'],
    ['a wait with an end', 'for (const end = Date.now() + 9; Date.now() < end;) await look();'],
  ])('%s is let in', (_what, text) => {
    expect(timed(text)).toEqual([]);
  });
});
