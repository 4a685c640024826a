import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { changedSince } from './changed-since.ts';
import { run } from './run.ts';
import { temporaryFolder } from './temporary-folder.ts';

// All checks, cheap ones first; the first failure ends the run. With --related only those of the everyday loop: the
// checks that read the code, and the quick tests that import a changed file.

type Stage = {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly minutes: number;
  readonly report?: boolean;
};

const reports = temporaryFolder('test');
const isRelated = process.argv.includes('--related');
const house = join(reports, 'house.txt');
// One more than there are cores: a fifth of the time tests wait for processes that they have started.
const allCores = `--maxWorkers=${availableParallelism() + 1}`;
const vitest = (name: string, projects: readonly string[], ...more: string[]): [string, ...string[]] => [
  'vitest',
  'run',
  ...more,
  ...projects.flatMap((project) => ['--project', project]),
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${join(reports, `${name}.json`)}`,
];

const everything: readonly Stage[] = [
  { name: 'format', command: ['prettier', '--check', '--log-level', 'warn', '.'], minutes: 3 },
  { name: 'lint', command: ['npm', 'run', '--silent', 'lint'], minutes: 3 },
  { name: 'deps', command: ['npm', 'run', '--silent', 'deps'], minutes: 3 },
  { name: 'types', command: ['tsc', '-p', 'tsconfig.json'], minutes: 5 },
  {
    name: 'unit',
    command: vitest('unit', ['node', 'dom'], '--coverage', allCores),
    minutes: 30,
    report: true,
  },
  { name: 'type-tests', command: vitest('type-tests', ['types']), minutes: 5, report: true },
  { name: 'build', command: ['npm', 'run', '--silent', 'build'], minutes: 5 },
  {
    name: 'manifests',
    command: ['npm', 'run', '--silent', 'check', '--workspaces', '--if-present'],
    minutes: 5,
  },
  { name: 'packages', command: vitest('packages', ['packages']), minutes: 10, report: true },
  { name: 'sizes', command: ['node', 'scripts/check-sizes.ts'], minutes: 3 },
  { name: 'browser', command: ['node', 'scripts/ensure-chromium.ts'], minutes: 15 },
  { name: 'starts', command: vitest('starts', ['starts']), minutes: 10, report: true },
  { name: 'matrix', command: vitest('matrix', ['matrix']), minutes: 15, report: true },
  // Two at once: alone, a journey waits two fifths of its time.
  {
    name: 'journeys',
    command: vitest('journeys', ['journeys'], '--maxWorkers=2'),
    minutes: 35,
    report: true,
  },
];

/** The everyday loop; `tests/slow-tests.ts` lists the tests that it leaves to the whole run. */
const related: readonly Stage[] = [
  { name: 'format', command: ['prettier', '--check', '--cache', '--log-level', 'warn', '.'], minutes: 3 },
  ...everything.filter(({ name }) => name === 'lint' || name === 'types'),
  {
    name: 'related tests',
    command: vitest('related', ['node', 'dom'], '--changed', changedSince(), '--passWithNoTests', allCores),
    minutes: 15,
    report: true,
  },
];

const stages = isRelated ? related : everything;
const only =
  process.argv.indexOf('--only') < 0
    ? null
    : (process.argv[process.argv.indexOf('--only') + 1] ?? '').split(',');
const totals = { passed: 0, failed: 0, skipped: 0 };
const times: string[] = [];

for (const stage of stages) {
  if (only !== null && !only.includes(stage.name)) continue;
  process.stdout.write(`\n— ${stage.name}\n`);
  const [command, ...args] = stage.command;
  const started = performance.now();
  const env = {
    HOUSE_TABLE: house,
    // Hundreds of tests start Node on the sources, whose types it would strip again each time.
    NODE_COMPILE_CACHE: join(reports, 'compiled'),
    ...(isRelated ? { WITHOUT_SLOW_TESTS: '1' } : {}),
  };
  const { ok } = await run(command, args, { timeoutMs: stage.minutes * 60_000, env });
  times.push(`${stage.name} ${Math.round((performance.now() - started) / 1000)} s`);
  if (stage.report) count(stage.name);
  if (stage.name === 'unit' && existsSync(house)) process.stdout.write(`\n${readFileSync(house, 'utf8')}`);
  if (ok) continue;
  process.stderr.write(`\nThe stage "${stage.name}" failed: ${stage.command.slice(0, 3).join(' ')}\n`);
  close(1);
}
close(0);

function count(name: string): void {
  try {
    const report = JSON.parse(readFileSync(join(reports, `${name}.json`), 'utf8')) as Record<string, number>;
    totals.passed += report['numPassedTests'] ?? 0;
    totals.failed += report['numFailedTests'] ?? 0;
    totals.skipped += (report['numPendingTests'] ?? 0) + (report['numTodoTests'] ?? 0);
  } catch {
    // A killed run has left no report; its stage has failed already.
  }
}

function close(code: number): never {
  process.stdout.write(`\n${times.join(', ')}\n`);
  if (totals.passed + totals.failed > 0)
    process.stdout.write(`\n${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped\n`);
  process.exit(code);
}
