import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { limits, rooms } from '../../scripts/lint/floors.ts';
import { roomOf } from '../../scripts/lint/place.ts';
import { root } from '../../scripts/root.ts';
import {
  circles,
  crowdedPackages,
  foldersOf,
  longFiles,
  longFunctions,
  misnamed,
  namesakes,
} from './house-checks.ts';
import { otherFiles, sourceFile, sourceFiles } from './source-file.ts';

const files = sourceFiles(root);
// A package is held to its plan from the day on which its first room stands.
const stands: Readonly<Record<string, boolean>> = {
  core: existsSync(`${root}/packages/core/src/kit`),
  devtools: existsSync(`${root}/packages/devtools/src/shell`),
  react: existsSync(`${root}/packages/react/src/hooks`),
  proxy: existsSync(`${root}/packages/proxy/src/stream`),
  server: existsSync(`${root}/packages/server/src/host`),
};
const planned = files.filter(({ path }) => stands[path.split('/')[1] ?? '']);

/** Functions and files that are longer than they may be; whoever shortens one takes it out. */
const knownLong = ['createSessionUnder'];
/** Folders that the plan does not have, as long as they stand. */
const knownHomeless: readonly string[] = [];
/** The share of files that are named after an export, as reached; it only rises, to that of the plan. */
const namedSoFar = 0.71;

/** Names that several functions of a package may have, with the reason. */
const sharedNames: readonly { readonly why: string; readonly names: string }[] = [
  {
    why: 'They are members of namespaces, and are read with their prefix: `Usage.of`, `Message.of`.',
    names:
      'children create errors fromJSON get hasErrors isFinished isWaiting messages of shouldStop steps stopSignals toJSON ' +
      'usage withMetadata withStopSignal',
  },
  {
    why: 'The two hosts of a server fulfil one contract, each over its own database.',
    names: 'addWake effectRecords forget forgetDeaths keepCommand noteStart settleWakes',
  },
  {
    why: 'An export condition chooses the panel, or nothing in its place.',
    names:
      'AgentDevtools AgentDevtoolsPanel agentDevtoolsPlugin mountAgentDevtools observeAgUi observeChat ' +
      'observeConnection observeLangGraph vitrineTelemetry',
  },
];

const subject = (finding: string): string => finding.split(':')[0] ?? '';

describe('the house', () => {
  it('the house has files to check', () => expect(files.length).toBeGreaterThan(100));

  it('packages, applications, benches and scripts have no circles of files or folders', () => {
    const others = otherFiles(root);
    for (const folder of ['apps', 'benches', 'scripts'])
      expect(others.filter(({ path }) => path.startsWith(`${folder}/`)).length).toBeGreaterThan(20);
    expect(circles([...planned, ...others])).toEqual([]);
  });

  it('the house has a floor for every folder of core and devtools', () => {
    const homeless = foldersOf(planned).filter((folder) => {
      const [, name = '', , room = ''] = folder.split('/');
      const table = rooms[name];
      return table !== undefined && roomOf(`${room}/file.ts`, Object.keys(table)) === null;
    });
    expect(homeless).toEqual(knownHomeless.filter((folder) => existsSync(`${root}/${folder}`)));
  });

  it(`a package has at most ${limits.foldersOfPackage} folders`, () =>
    expect(crowdedPackages(planned)).toEqual([]));

  it(`no file is over ${limits.linesOfFile} lines and no function over ${limits.linesOfFunction}`, () => {
    const long = [...longFiles(files), ...longFunctions(files)];
    expect(long.filter((finding) => !knownLong.includes(subject(finding)))).toEqual([]);
    expect(knownLong.filter((name) => !long.map(subject).includes(name))).toEqual([]);
  });

  it('two files of a package export no functions of the same name', () => {
    const known = new Set(sharedNames.flatMap(({ names }) => names.split(' ')));
    expect(namesakes(files).filter((finding) => !known.has(finding.split(' ')[0] ?? ''))).toEqual([]);
  });

  it(`a file is named after one of its exports, in the end ${limits.namedAfterExport * 100} % of them`, () => {
    const { share, names } = misnamed(files);
    expect(share, `Not named after an export: ${names.join(', ')}`).toBeGreaterThanOrEqual(namedSoFar);
  });
});

describe('the checks of the house', () => {
  const file = (path: string, text: string): ReturnType<typeof sourceFile> =>
    sourceFile(`packages/core/src/${path}`, text);

  it('see a circle of folders that is none of files, also by types and by calls of import', () => {
    const a = file('a/one.ts', "import type { Two } from '../b/two.ts';\nexport type One = Two;\n");
    const b = file('b/two.ts', 'export type Two = 1;\n');
    const back = file('b/three.ts', "export type Three = import('../a/four.ts').Four;\n");
    const later = file('b/five.ts', "export const five = () => import('../a/four.ts');\n");
    expect(circles([a, b])).toEqual([]);
    expect(circles([a, b, back])).toEqual(['packages/core/src: a - b']);
    expect(circles([a, b, later])).toEqual(['packages/core/src: a - b']);
  });

  it('a circle of two files outside of packages is found, also through a call of import', () => {
    const page = sourceFile('apps/a/server/page.ts', "export const load = () => import('./live.ts');\n");
    const live = sourceFile('apps/a/server/live.ts', "export type { Page } from './page.ts';\n");
    expect(circles([page, live])).toEqual(['apps/a/server: live.ts - page.ts']);
  });

  it('see a circle through a folder and the files beside it, and let a folder use the files above it', () => {
    const down = file('run/drive.ts', "export { step } from './step/step.ts';\n");
    const up = file('run/step/step.ts', "export { commit as step } from '../commit.ts';\n");
    const back = file('run/commit.ts', "export { other as commit } from './step/other.ts';\n");
    expect(circles([down, up])).toEqual([]);
    expect(circles([down, up, back])).toEqual(['packages/core/src/run: commit.ts - step']);
  });

  it('measure files and functions', () => {
    const body = '  void 0;\n'.repeat(79);
    expect(longFunctions([file('a.ts', `export function fits() {\n${body.slice(10)}}\n`)])).toEqual([]);
    expect(longFunctions([file('a.ts', `export const long = () => {\n${body}};\n`)])).toEqual([
      'long: 81 lines, packages/core/src/a.ts',
    ]);
    expect(longFiles([file('a.ts', 'void 0;\n'.repeat(400))])).toEqual([]);
    expect(longFiles([file('a.ts', 'void 0;\n'.repeat(401))])).toHaveLength(1);
  });

  it('functions of one name in two files of a package are found, values and other packages are not', () => {
    const one = file('a.ts', 'export function same() {}\nexport const list = [];\n');
    const two = file('b/c.ts', 'export const same = () => 1;\nexport const list = [];\n');
    const other = sourceFile('packages/react/src/a.ts', 'export function same() {}\n');
    expect(namesakes([one, other])).toEqual([]);
    expect(namesakes([one, two, other])).toEqual([
      'same of packages/core: packages/core/src/a.ts, packages/core/src/b/c.ts',
    ]);
  });

  it('count folders, and files that have another name than what they export', () => {
    const many = Array.from({ length: 11 }, (_, index) => file(`f${index}/a.ts`, 'export const b = 1;\n'));
    expect(crowdedPackages(many)).toEqual(['core: 11 folders']);
    expect(crowdedPackages(many.slice(1))).toEqual([]);
    expect(misnamed(many).share).toBe(0);
    const named = file('stop-signal.ts', 'export type StopSignal = 1;\n');
    expect(misnamed([named, ...many.slice(0, 1)])).toEqual({
      names: ['packages/core/src/f0/a.ts'],
      share: 0.5,
    });
  });
});
