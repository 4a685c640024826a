import { describe, expect, it } from 'vitest';
import { type Figure, type GoalName, goals } from '../../benches/goals.ts';
import { judge } from '../../benches/report.ts';
import { range } from '../../scripts/docs/measured.ts';

const names = Object.keys(goals) as GoalName[];

const figures = (change: (atMost: number) => number): Figure[] =>
  names.map((goal) => ({ goal, of: 'a case', value: change(goals[goal].atMost) }));

describe('the verdict over a bench', () => {
  it('a bench exits with 0 when every figure just meets its goal', () => {
    const { text, exitCode } = judge(figures((atMost) => atMost));
    expect(exitCode).toBe(0);
    expect(text).toContain(`All ${names.length} goals are met.`);
    expect(text).not.toContain('MISSED');
  });

  it.each(names)('a bench exits with 1 and a reason when %s alone is missed', (missed) => {
    const all = figures((atMost) => atMost).map((figure) =>
      figure.goal === missed ? { ...figure, value: figure.value + 0.01 } : figure,
    );
    const { text, exitCode } = judge(all);
    expect(exitCode).toBe(1);
    const lines = text.split('\n').filter((line) => line.includes('MISSED'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(goals[missed].what);
  });

  it('a figure that could not be measured counts as missed', () => {
    const { text, exitCode } = judge([{ goal: 'stepMean', of: 'a case', value: Number.NaN }]);
    expect(exitCode).toBe(1);
    expect(text).toContain('not measured');
  });
});

describe('the ratios that the docs publish', () => {
  it.each([
    [[0.2301, 0.1499], '0.15 to 0.23'],
    [[15.96, 11.2, 12], '11 to 16'],
    [[0.55], '0.55'],
    [[1, 1.001], '1'],
    [[Number.NaN], null],
    [[], null],
  ])('%j are published as %j', (ratios, text) => {
    expect(range(ratios)).toBe(text);
  });
});
