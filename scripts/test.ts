import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { changedFiles } from './changed-since.ts';
import { reachedFolders } from './packages.ts';
import { type Stage, startStages, vitest } from './stages.ts';
import { temporaryFolder } from './temporary-folder.ts';

// Checks of ten minutes, cheap ones first; the first failure ends the run. `npm run prove` has all others
// (scripts/proofs.ts). With --related only those of the everyday loop: the checks that read the code, and the tests of the
// packages that a change reaches.

const isRelated = process.argv.includes('--related');
const house = join(temporaryFolder('house'), 'house.txt');
// Two more than there are cores: a third of the time tests wait for processes and timers.
const allCores = `--maxWorkers=${availableParallelism() + 2}`;
const env = { HOUSE_TABLE: house, WITHOUT_PROOFS: '1' };

const lint: Stage = { name: 'lint', command: ['npm', 'run', '--silent', 'lint'], minutes: 3 };
const types: Stage = { name: 'types', command: ['tsc', '-p', 'tsconfig.json'], minutes: 5 };

/** All stages. Those of one list run side by side: each of them alone uses one core. */
const everything: readonly (Stage | readonly Stage[])[] = [
  [
    { name: 'format', command: ['prettier', '--check', '--log-level', 'warn', '.'], minutes: 8 },
    lint,
    { name: 'deps', command: ['npm', 'run', '--silent', 'deps'], minutes: 3 },
    types,
  ],
  { name: 'unit', command: vitest('unit', ['node', 'dom'], allCores), minutes: 30, env },
  { name: 'type-tests', command: vitest('type-tests', ['types']), minutes: 5 },
  { name: 'build', command: ['npm', 'run', '--silent', 'build'], minutes: 5 },
  [
    {
      name: 'manifests',
      command: ['npm', 'run', '--silent', 'check', '--workspaces', '--if-present'],
      minutes: 5,
    },
    { name: 'packages', command: vitest('packages', ['packages']), minutes: 15 },
    { name: 'sizes', command: ['node', 'scripts/check-sizes.ts'], minutes: 5 },
  ],
  { name: 'browser', command: ['node', 'scripts/ensure-chromium.ts'], minutes: 15 },
  // Two at once: alone, a journey waits two fifths of its time.
  { name: 'journeys', command: vitest('journeys', ['journeys'], '--maxWorkers=2'), minutes: 20, env },
];

const related: readonly Stage[] = [
  { name: 'format', command: ['prettier', '--check', '--cache', '--log-level', 'warn', '.'], minutes: 3 },
  lint,
  types,
  {
    name: 'related tests',
    command: vitest('related tests', ['node', 'dom'], ...reachedTests(), '--passWithNoTests', allCores),
    minutes: 15,
    env,
  },
];

/** The folders of the packages that changes reach, and the changed tests that stand outside of packages. */
function reachedTests(): readonly string[] {
  const files = changedFiles();
  const outside = files.filter((file) => /^tests\/.*\.test\.tsx?$/.test(file));
  const reached = [...reachedFolders(files).map((folder) => `${folder}/`), ...outside];
  // Nothing has changed: a name that no test has.
  return reached.length > 0 ? reached : ['no-change'];
}

const stages = isRelated ? related : everything;
const only =
  process.argv.indexOf('--only') < 0
    ? null
    : (process.argv[process.argv.indexOf('--only') + 1] ?? '').split(',');
const { play, close } = startStages();

for (const stage of stages) {
  const group = [stage].flat().filter(({ name }) => only === null || only.includes(name));
  const ends = await Promise.all(group.map(play));
  if (group.some(({ name }) => name === 'unit') && existsSync(house))
    process.stdout.write(`\n${readFileSync(house, 'utf8')}`);
  if (ends.includes(false)) close(1);
}
close(0);
