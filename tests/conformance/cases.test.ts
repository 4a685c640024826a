import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/root.ts';

/** Cases that have no test here, each with its reason. */
const exceptions: Readonly<Record<number, string>> = {
  78: 'the loop never rejects for an agent fault; there is no option that would make it',
  113: 'hooks stand around the client, so that every client supports them',
  126: 'tools are values; there is no registry of factories',
  160: 'sessions have no hooks of their own; those of the agent are in case 96',
  162: 'forks of a session come with the tree of messages',
  164: 'a state is not seeded from a definition; its own prompt and model go first (case 56)',
  168: 'lists with filters come with the management of sessions',
};

const folder = `${root}/tests/conformance`;
const listed = [...readFileSync(`${folder}/cases.md`, 'utf8').matchAll(/^(\d+)\. /gm)].map(([, number]) =>
  Number(number),
);
const files = readdirSync(folder)
  .filter((name) => name.endsWith('.test.ts') && name !== 'cases.test.ts')
  .map((name) => `${folder}/${name}`)
  .concat(`${root}/packages/plugins/src/cases.test.ts`);
const titles = files.flatMap((name) =>
  [...readFileSync(name, 'utf8').matchAll(/\b(?:it|it\.each\([^`]*?\))\(\s*(['"`])(.*?)\1/gs)]
    .map(([, , title = '']) => title)
    // Titles of tables stand in their rows.
    .filter((title) => !title.startsWith('%s')),
);
const rows = files.flatMap((name) =>
  [...readFileSync(name, 'utf8').matchAll(/^\s*\[\s*(['"`])(\d+ .*?)\1,/gm)].map(([, , title = '']) => title),
);
const tested = [...titles, ...rows].map((title) => Number(/^\d+/.exec(title)?.[0]));

describe('the list of cases', () => {
  it('the list of cases exists and has each number once', () => {
    expect(listed.length).toBeGreaterThan(120);
    expect(new Set(listed).size).toBe(listed.length);
  });

  it('the list of cases has a test for every case in scope, and a reason for every other one', () => {
    const missing = listed.filter((number) => !tested.includes(number) && !(number in exceptions));
    expect(missing).toEqual([]);
    const needless = Object.keys(exceptions).map(Number);
    expect(needless.filter((number) => tested.includes(number) || !listed.includes(number))).toEqual([]);
  });

  it('the list of cases has every case that a test names, and every test here names one', () => {
    expect(titles.length).toBeGreaterThan(90);
    expect([...titles, ...rows].filter((title) => !/^\d+ /.test(title))).toEqual([]);
    expect(tested.filter((number) => !listed.includes(number))).toEqual([]);
  });
});
