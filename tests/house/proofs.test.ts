import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { leftOut, partsOfDay, proofs } from '../../scripts/proofs.ts';
import { root } from '../../scripts/root.ts';
import config from '../../vite.config.ts';

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

  it('every project of vitest is run by npm test or by a part', () => {
    const projects = (config.test?.projects ?? []).map((project) =>
      typeof project === 'object' && 'test' in project ? project.test?.name : null,
    );
    const inTest = readFileSync(join(root, 'scripts/test.ts'), 'utf8').matchAll(
      /vitest\('[^']+', \[([^\]]+)\]/g,
    );
    const inProofs = Object.values(proofs).flatMap(({ leftOut: some = [], more = [] }) => [...some, ...more]);
    const played = [
      ...[...inTest].map(([, names = '']) => names),
      ...inProofs.flatMap(({ projects: names }) => names.map((name) => `'${name}'`)),
    ].join();
    expect(projects).toContain('node');
    // Another build of Chromium may draw differently, so a person compares pictures.
    expect(projects.filter((name) => !played.includes(`'${String(name)}'`))).toEqual(['pictures']);
  });

  it('each part that CI runs is the first of some day, and all are tried every day', () => {
    const days = Array.from({ length: 366 }, (_, n) => partsOfDay(day(n)));
    const parts = days[0] ?? [];
    expect(parts.length).toBeGreaterThan(5);
    for (const names of days) expect(names.toSorted()).toEqual(parts.toSorted());
    expect(new Set(days.map(([first]) => first))).toEqual(new Set(parts));
  });
});
