import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { wordBounds, type WordFinding, wordsOf } from '../../scripts/lint/words.ts';
import { root } from '../../scripts/root.ts';

const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.ts', '*.tsx'], {
  cwd: root,
  encoding: 'utf8',
});
const counts = listed
  .split('\n')
  .filter((path) => path !== '' && existsSync(join(root, path)))
  .map((path) => wordsOf(path, readFileSync(join(root, path), 'utf8')));
const found = counts.flatMap(({ findings }) => findings);

/** Lists the areas that are above a bound, with their findings. */
function excess(findings: readonly WordFinding[]): string[] {
  const areas = new Set([...Object.keys(wordBounds), ...findings.map(({ path }) => areaOf(path))]);
  return [...areas].flatMap((area) => {
    const ofArea = (kind: WordFinding['kind']): WordFinding[] =>
      findings.filter((finding) => finding.kind === kind && areaOf(finding.path) === area);
    const bound = wordBounds[area] ?? { docComments: 0, testTitles: 0 };
    return [
      ...above(area, ofArea('doc-comment'), bound.docComments),
      ...above(area, ofArea('test-title'), bound.testTitles),
    ];
  });
}

function above(area: string, findings: readonly WordFinding[], bound: number): string[] {
  if (findings.length <= bound) return [];
  const lines = findings.map(({ path, line, text }) => `  ${path}:${line} ${text}`);
  return [`${area}: ${findings.length} findings, at most ${bound}\n${lines.join('\n')}`];
}

function areaOf(path: string): string {
  const [first = '', second = ''] = path.split('/');
  if (second === '') return '.';
  return first === 'packages' || first === 'bridges' ? `${first}/${second}` : first;
}

describe('the rules of plain words', () => {
  it('the doc comments and test titles of every area stay within their bounds', () => {
    expect(counts.reduce((sum, { docComments }) => sum + docComments, 0)).toBeGreaterThan(3_000);
    expect(counts.reduce((sum, { testTitles }) => sum + testTitles, 0)).toBeGreaterThan(1_500);
    expect(excess(found)).toEqual([]);
  });

  it.each([
    ['doc comment', '/** What is kept of it. */\nexport const kept = 1;\n'],
    ['test title', "it('keeps its lock', () => expect(1).toBe(1));\n"],
  ])('one planted %s above the bound is reported with its place', (_kind, fault) => {
    for (const area of Object.keys(wordBounds)) {
      const path = `${area}/planted.test.ts`;
      const { docComments, testTitles } = wordBounds[area] ?? { docComments: 0, testTitles: 0 };
      const full = `${'/** What it is. */\n'.repeat(docComments)}${"it('is', () => {});\n".repeat(testTitles)}`;
      expect(excess(wordsOf(path, full).findings)).toEqual([]);
      const [report = ''] = excess(wordsOf(path, `${full}${fault}`).findings);
      expect(report).toContain(`${path}:${docComments + testTitles + 1} `);
    }
  });

  it.each([
    ['/** Whose turn it is. */', 1],
    ['/**\n * Where the\n * file stands.\n */', 1],
    ['/** The last value. */', 0],
    ['/** Whatever-named fields stay. */', 1],
    ['// What stands in a line comment is not counted.', 0],
    ["export const text = '/** What */';", 0],
  ])('the doc comment of %j gives %i findings', (text, count) => {
    expect(wordsOf('a.ts', text).findings).toHaveLength(count);
  });

  it.each([
    ['is sent again', 1],
    ['of a column', 1],
    ['a tab', 1],
    ['12 may end', 1],
    ['stores a message', 1],
    ['stores of messages are shared', 0],
    ['a message is sent again', 0],
    ['%s', 0],
  ])('the test title %j gives %i findings, also behind it.each', (title, count) => {
    expect(wordsOf('a.test.ts', `it('${title}', () => {});`).findings).toHaveLength(count);
    expect(wordsOf('a.test.ts', `it.each([1])(\`${title}\`, () => {});`).findings).toHaveLength(count);
  });

  it('the name of a law is read like a test title, in files of laws only', () => {
    const law =
      "export const laws = [{ name: 'keeps its lock', run() {} }, { name: 'a lock is kept', run() {} }];";
    const titles = (path: string): string[] => wordsOf(path, law).findings.map(({ text }) => text);
    expect(titles('packages/core/src/lock-laws.ts')).toEqual(['keeps its lock']);
    expect(titles('packages/proxy/src/stream/lock-laws.fixture.ts')).toEqual(['keeps its lock']);
    expect(titles('packages/core/src/locks.ts')).toEqual([]);
  });
});
