import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.ts';
import { temporaryFolder } from './temporary-folder.ts';

// All checks, cheap ones first; the first failure ends the run.

type Stage = {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  readonly minutes: number;
  readonly report?: boolean;
};

const reports = temporaryFolder('test');
const vitest = (name: string, projects: readonly string[], ...more: string[]): [string, ...string[]] => [
  'vitest',
  'run',
  ...more,
  ...projects.flatMap((project) => ['--project', project]),
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${join(reports, `${name}.json`)}`,
];

const stages: readonly Stage[] = [
  { name: 'format', command: ['prettier', '--check', '--log-level', 'warn', '.'], minutes: 3 },
  { name: 'lint', command: ['npm', 'run', '--silent', 'lint'], minutes: 3 },
  { name: 'deps', command: ['npm', 'run', '--silent', 'deps'], minutes: 3 },
  { name: 'types', command: ['tsc', '-p', 'tsconfig.json'], minutes: 5 },
  { name: 'unit', command: vitest('unit', ['node', 'dom'], '--coverage'), minutes: 30, report: true },
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
  { name: 'matrix', command: vitest('matrix', ['matrix']), minutes: 15, report: true },
  { name: 'journeys', command: vitest('journeys', ['journeys']), minutes: 35, report: true },
];

const only =
  process.argv.indexOf('--only') < 0
    ? null
    : (process.argv[process.argv.indexOf('--only') + 1] ?? '').split(',');
const totals = { passed: 0, failed: 0, skipped: 0 };

for (const stage of stages) {
  if (only !== null && !only.includes(stage.name)) continue;
  process.stdout.write(`\n— ${stage.name}\n`);
  const [command, ...args] = stage.command;
  const { ok } = await run(command, args, { timeoutMs: stage.minutes * 60_000 });
  if (stage.report) count(stage.name);
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
  if (totals.passed + totals.failed > 0)
    process.stdout.write(`\n${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped\n`);
  process.exit(code);
}
