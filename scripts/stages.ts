import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from './root.ts';
import { run } from './run.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** One command of a test run. */
export type Stage = {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** The minutes after which it is killed: four times what it usually takes, since a machine may be shared. */
  readonly minutes: number;
  readonly env?: Readonly<Record<string, string>>;
};

/** Stages that run one after the other, and the sum of their tests. */
export type StageRun = {
  /** Runs a stage. @returns false when it failed */
  readonly play: (stage: Stage) => Promise<boolean>;
  /** Prints the tests that failed, the seconds of each stage and the sum of all tests, and ends the process. */
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

/** A report of vitest, as far as it is read here. */
type Report = {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message?: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages?: readonly string[] | null;
    }[];
  }[];
};

/** The failed tests of a report, and files that could not be loaded, each with the first line of its reason. */
function failedTests({ testResults }: Report): string[] {
  return testResults.flatMap(({ name, status, message = '', assertionResults }) => {
    const failed = assertionResults
      .filter((test) => test.status === 'failed')
      .map(({ fullName, failureMessages }) => [fullName, failureMessages?.[0] ?? ''] as const);
    const reasons = failed.length === 0 && status === 'failed' ? [['', message] as const] : failed;
    return reasons.map(([test, reason]) =>
      `${relative(root, name)} ${test}\n    ${reason.split('\n', 1)[0]?.slice(0, 300)}`.trimEnd(),
    );
  });
}

/** Begins a run of stages. */
export function startStages(): StageRun {
  const totals = { passed: 0, failed: 0, skipped: 0 };
  const times: string[] = [];
  const reds: string[] = [];
  const count = (name: string): void => {
    if (!existsSync(reportOf(name))) return;
    const report = JSON.parse(readFileSync(reportOf(name), 'utf8')) as Report;
    totals.passed += report.numPassedTests;
    totals.failed += report.numFailedTests;
    totals.skipped += report.numPendingTests + report.numTodoTests;
    reds.push(...failedTests(report));
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
      // The end of a long output is what is kept and read.
      if (reds.length > 0) process.stdout.write(`\n${reds.slice(0, 50).join('\n')}\n`);
      process.stdout.write(`\n${times.join(', ')}\n`);
      if (totals.passed + totals.failed > 0)
        process.stdout.write(
          `\n${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped\n`,
        );
      process.exit(code);
    },
  };
}
