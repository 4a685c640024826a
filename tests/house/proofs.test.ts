import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { leftOut, partsOfDay, proofs } from '../../scripts/proofs.ts';
import { root } from '../../scripts/root.ts';
import config from '../../vite.config.ts';

/** The tests of the repository, from its root. */
const tests = execFileSync('git', ['ls-files', '*.test.ts', '*.test.tsx'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((path) => path !== '');
const played = Object.values(proofs).flatMap(({ leftOut: some = [], more = [] }) => [...some, ...more]);

const day = (n: number): Date => new Date(Date.UTC(2026, 0, 1 + n));

describe('the parts of npm run prove', () => {
  it('a test file that npm test leaves out exists, and belongs to one part', () => {
    expect(leftOut.filter((path) => !existsSync(join(root, path)))).toEqual([]);
    expect(new Set(leftOut).size).toBe(leftOut.length);
  });

  it('a test that npm test leaves out is in a part that CI runs in its turn', () => {
    const rare = Object.values(proofs).filter(
      ({ minutes, leftOut: tests }) => tests !== undefined && minutes > 30,
    );
    expect(rare).toEqual([]);
  });

  it('a path of a part is that of a test', () => {
    const paths = played.flatMap(({ files = [] }) => files);
    expect(paths.filter((path) => !tests.some((test) => test.includes(path)))).toEqual([]);
  });

  it('a test with a count of random cases that npm test plays is in a part that raises this count', () => {
    // The packages of tests/peers are in no test of npm test.
    const inTest = tests.filter((path) => !leftOut.includes(path) && !path.startsWith('tests/peers/'));
    const counted = inTest.flatMap((path) => {
      const names = readFileSync(join(root, path), 'utf8').matchAll(/process\.env(?:\['|\.)(PROVE_\w+)/g);
      return [...new Set([...names].map(([, name = '']) => name))].map((name) => ({ path, name }));
    });
    const isRaised = ({ path, name }: (typeof counted)[number]): boolean =>
      played.some(({ files = [], env = {} }) => name in env && files.some((file) => path.includes(file)));
    expect(counted.length).toBeGreaterThan(50);
    expect(counted.filter((one) => !isRaised(one)).map(({ path, name }) => `${path} ${name}`)).toEqual([]);
  });

  it('every project of vitest is run by npm test or by a part', () => {
    const projects = (config.test?.projects ?? []).map((project) =>
      typeof project === 'object' && 'test' in project ? project.test?.name : null,
    );
    const inTest = readFileSync(join(root, 'scripts/test.ts'), 'utf8').matchAll(
      /vitest\('[^']+', \[([^\]]+)\]/g,
    );
    const words = [
      ...[...inTest].map(([, names = '']) => names),
      ...played.flatMap(({ projects: names }) => names.map((name) => `'${name}'`)),
    ].join();
    expect(projects).toContain('node');
    // Another build of Chromium may draw differently, so a person compares pictures.
    expect(projects.filter((name) => !words.includes(`'${String(name)}'`))).toEqual(['pictures']);
  });

  it('each part that CI runs is the first of some day, and all are tried every day', () => {
    const days = Array.from({ length: 366 }, (_, n) => partsOfDay(day(n)));
    const parts = days[0] ?? [];
    expect(parts.length).toBeGreaterThan(5);
    for (const names of days) expect(names.toSorted()).toEqual(parts.toSorted());
    expect(new Set(days.map(([first]) => first))).toEqual(new Set(parts));
  });
});
