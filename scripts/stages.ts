import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** One command of a test run. */
export type Stage = {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** The minutes after which it is killed: three times what it usually takes. */
  readonly minutes: number;
  readonly env?: Readonly<Record<string, string>>;
};

/** Stages that run one after the other, and the sum of their tests. */
export type StageRun = {
  /** Runs a stage. @returns false when it failed */
  readonly play: (stage: Stage) => Promise<boolean>;
  /** Prints the seconds of each stage and the sum of all tests, and ends the process. */
  readonly close: (code: number) => never;
};

const reports = temporaryFolder('test');

/** A command of vitest for projects, whose tests count in the sum. */
export function vitest(
  name: string,
  projects: readonly string[],
  ...more: readonly string[]
): readonly [string, ...string[]] {
  return [
    'vitest',
    'run',
    ...more,
    ...projects.flatMap((project) => ['--project', project]),
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${reportOf(name)}`,
  ];
}

function reportOf(name: string): string {
  return join(reports, `${name.replaceAll(/\W+/g, '-')}.json`);
}

/** Begins a run of stages. */
export function startStages(): StageRun {
  const totals = { passed: 0, failed: 0, skipped: 0 };
  const times: string[] = [];
  const count = (name: string): void => {
    if (!existsSync(reportOf(name))) return;
    const report = JSON.parse(readFileSync(reportOf(name), 'utf8')) as Record<string, number>;
    totals.passed += report['numPassedTests'] ?? 0;
    totals.failed += report['numFailedTests'] ?? 0;
    totals.skipped += (report['numPendingTests'] ?? 0) + (report['numTodoTests'] ?? 0);
  };
  return {
    async play({ name, command: [command, ...args], minutes, env = {} }) {
      process.stdout.write(`\n— ${name}\n`);
      const started = performance.now();
      const { ok } = await run(command, args, {
        timeoutMs: minutes * 60_000,
        // Hundreds of tests start Node on the sources, whose types it would strip again each time.
        env: { NODE_COMPILE_CACHE: join(reports, 'compiled'), ...env },
      });
      times.push(`${name} ${Math.round((performance.now() - started) / 1000)} s`);
      count(name);
      if (!ok)
        process.stderr.write(`\nThe stage "${name}" failed: ${[command, ...args].slice(0, 3).join(' ')}\n`);
      return ok;
    },
    close(code) {
      process.stdout.write(`\n${times.join(', ')}\n`);
      if (totals.passed + totals.failed > 0)
        process.stdout.write(
          `\n${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped\n`,
        );
      process.exit(code);
    },
  };
}
