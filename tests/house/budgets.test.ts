import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { installedPackages, type LockFile } from '../../scripts/house/installed-packages.ts';
import { lateParts } from '../../scripts/house/late-parts.ts';
import { roomsOf } from '../../scripts/house/rooms.ts';
import { wordsOf } from '../../scripts/lint/words.ts';
import { packageFolders } from '../../scripts/packages.ts';
import { root } from '../../scripts/root.ts';
import { folderOfTest } from '../folder-of-test.ts';
import { longFiles, longFunctions } from '../lint/house-checks.ts';
import { sourceFiles } from '../lint/source-file.ts';
import { type Budget, budgets, type Measure } from './budgets.ts';

const table: Readonly<Record<string, Budget>> = budgets;
const measured = new Map<Measure, number>();

/** Notes a figure for the table and holds it to its bound. */
function hold(measure: Measure, figure: number): void {
  measured.set(measure, figure);
  assertWithin(measure, figure);
}

function assertWithin(measure: Measure, figure: number): void {
  const { name, unit, bound } = budgets[measure];
  expect(
    figure,
    `${name}: ${figure} ${unit}, at most ${bound}; see tests/house/budgets.ts`,
  ).toBeLessThanOrEqual(bound);
}

/** The table as text: the measured figure, its bound, the goal and the figure of the house before. */
function tableOf(figures: ReadonlyMap<string, number>): string {
  const lines = Object.entries(table).map(([measure, { name, unit, goal, bound, before, missed }]) => {
    const figure = String(figures.get(measure) ?? '?').padStart(6);
    const goals = `bound ${bound}, goal ${goal}, second house ${before}`;
    return `${figure} ${unit.padEnd(9)} ${name.padEnd(46)} ${goals}${missed === undefined ? '' : `\n${' '.repeat(17)}${missed}`}`;
  });
  return `The budgets of the house (tests/house/budgets.ts)\n${lines.join('\n')}\n`;
}

/** The number of top names of the entries whose title matches, as public-names.md counts them. */
function namesOf(entry: RegExp): number {
  const text = readFileSync(join(root, 'tests/public-api/public-names.md'), 'utf8');
  const counts = [...text.matchAll(/^## (\S+): (\d+) names/gm)];
  return counts.reduce((sum, [, name = '', count]) => sum + (entry.test(name) ? Number(count) : 0), 0);
}

// npm test prints the table at the end of its stage; a single run prints it here.
afterAll(() => {
  const file = process.env['HOUSE_TABLE'];
  if (file === undefined) process.stdout.write(tableOf(measured));
  else writeFileSync(file, tableOf(measured));
});

// It reads every source file, which takes long on a busy machine.
describe('the budgets of the house', { timeout: 300_000 }, () => {
  it('a delta, a turn, a save, a draft and an approval pass no more files and functions than before', async () => {
    const script = join(root, 'scripts/house/walks.ts');
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--conditions=@vitrine/source', script, '--json'],
      { timeout: 120_000, env: { PATH: process.env['PATH'] } },
    );
    type Walk = { readonly files: readonly string[]; readonly functions: number };
    const { delta, turn, save, draft, approval } = JSON.parse(stdout) as Readonly<
      Record<'delta' | 'turn' | 'save' | 'draft' | 'approval', Walk>
    >;
    // Each walk passes the store of the session at least; a walk of nothing would fit every bound.
    for (const { files } of [delta, turn, save, draft, approval]) expect(files.length).toBeGreaterThan(10);
    hold('deltaFiles', delta.files.length);
    hold('deltaFunctions', delta.functions);
    hold('turnFunctions', turn.functions);
    hold('saveFiles', save.files.length);
    hold('draftFiles', draft.files.length);
    hold('approvalFunctions', approval.functions);
  }, 150_000);

  it('no part of a session is handed over as a function that returns it', () => {
    const found = lateParts(root);
    measured.set('lateParts', found.length);
    expect(found).toEqual([]);
  });

  it('the entries export no more public names', () => {
    hold('mainNames', namesOf(/^@vitrine\/(core|react)$/));
    hold('allNames', namesOf(/./));
  });

  it('npm ci installs no more packages', () => {
    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as LockFile;
    hold('installed', installedPackages(lock).length);
  });

  it('almost no doc comment of the products opens with a relative clause', () => {
    const counts = sourceFiles(root).map(({ path }) => wordsOf(path, readFileSync(join(root, path), 'utf8')));
    const all = counts.reduce((sum, { docComments }) => sum + docComments, 0);
    const found = counts.flatMap(({ findings }) => findings.filter(({ kind }) => kind === 'doc-comment'));
    expect(all).toBeGreaterThan(2_000);
    hold('relativeComments', (100 * found.length) / all);
  });

  it('no more files and functions are over the limits of lines', () => {
    const files = sourceFiles(root);
    hold('longFiles', longFiles(files).length);
    hold('longFunctions', longFunctions(files).length);
  });

  it('the source of every package stays within its own bound of lines', () => {
    const packages = roomsOf(root).filter(({ name }) =>
      packageFolders.some((folder) => folder.endsWith(`/${name}`)),
    );
    const camel = (name: string): string =>
      name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
    expect(packages.length).toBeGreaterThan(5);
    for (const { name, lines } of packages) hold(`${camel(name)}Lines` as Measure, lines);
    measured.set('plannedLines', 0);
  });

  it('a missed goal gives its reason, and a reached one gives none', () => {
    const wrong = Object.entries(table).filter(
      ([, { bound, goal, missed }]) => bound > goal !== (missed !== undefined && missed.length > 20),
    );
    expect(wrong.map(([measure]) => measure)).toEqual([]);
  });
});

describe('the measures of the house', () => {
  it('a package counts when something needs it and it is for Linux, also below another one', () => {
    const packages = {
      '': { devDependencies: { a: '1', tool: '1' } },
      'packages/own': {
        dependencies: { b: '1' },
        peerDependencies: { c: '1', left: '1' },
        peerDependenciesMeta: { left: { optional: true } },
      },
      'node_modules/own': { link: true },
      'node_modules/a': { dependencies: { b: '2' }, devDependencies: { left: '1' } },
      'node_modules/a/node_modules/b': {},
      'node_modules/b': { optionalDependencies: { mac: '1', wasm: '1' } },
      'node_modules/c': { os: ['!win32'], libc: 'glibc' },
      'node_modules/tool': { os: ['linux'], cpu: ['x64'] },
      'node_modules/mac': { os: ['darwin'] },
      'node_modules/wasm': { cpu: ['wasm32'], dependencies: { left: '1' } },
      'node_modules/left': {},
    };
    expect(installedPackages({ packages }).toSorted()).toEqual([
      'node_modules/a',
      'node_modules/a/node_modules/b',
      'node_modules/b',
      'node_modules/c',
      'node_modules/tool',
    ]);
  });

  const write = (files: Readonly<Record<string, string>>): string => {
    const folder = folderOfTest('house');
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return folder;
  };

  it('a figure above its bound fails the test, and the table shows it', () => {
    expect(() => assertWithin('lateParts', budgets.lateParts.bound + 1)).toThrow(/at most 0/);
    expect(tableOf(new Map([['saveFiles', 7]]))).toMatch(/ 7 files +one save +bound \d+, goal \d+/);
  });

  it('a field of type () => Part is found in the options of a function and of a class, in core only', () => {
    const session = 'packages/core/src/session';
    const folder = write({
      [`${session}/saver.ts`]: `
        export type Saver = { readonly flush: () => Promise<void> };
        export type Facts = { readonly count: number };
        export function createSaver(options: { readonly facts: () => Facts; readonly saver: Saver }): Saver {}
        export function createFacts(): Facts {}`,
      [`${session}/journal.ts`]: `
        type Options = { readonly saver: () => Saver | null; readonly wait: () => Promise<void> };
        export class Journal { constructor(private readonly options: Options) {} }
        export function createReader(given: { journal(): Journal; readonly find: (id: string) => Saver }): void {}`,
    });
    expect(lateParts(folder)).toEqual(['Options.saver: () => Saver', 'createReader.journal: () => Journal']);
  });
});
