import { dirname, relative } from 'node:path';
import {
  createVitest,
  type Reporter,
  type TestModule,
  type TestSequencer,
  type TestSpecification,
  type Vitest,
} from 'vitest/node';

// A separate process that keeps vitest warm in a copy of the repository and runs its tests on request.

/** A request to run the tests after some files have changed, nearest to the last of them first. */
export type TestRequest = { readonly changed: readonly string[] };
export type TestAnswer =
  | { readonly type: 'progress' }
  /** The first test that failed; null when all passed. */
  | { readonly type: 'done'; readonly failed: string | null };

const folders = ['core/src/graph', 'core/src/agent', 'core/src/run', 'core/src/session', 'persist/src'].map(
  (room) => `packages/${room}/`,
);
const filters = [...folders, 'tests/conformance/'];

const durations = new Map<string, number>();
let near = '';
let failed: string | null = null;

/**
 * The distance of a test from a file: its own, of its folder, of its room; a conformance case, or one of another room.
 */
function distanceOf(path: string, file: string): number {
  const room = file.split('/').slice(0, 4).join('/');
  if (path === file.replace(/\.ts$/, '.test.ts')) return 0;
  if (dirname(path) === dirname(file)) return 1;
  if (path.startsWith(`${room}/`)) return 2;
  return path.startsWith('tests/') ? 3 : 4;
}

/** Sorts tests by distance, and fast ones before slow ones. */
class NearestFirst implements TestSequencer {
  sort(specs: TestSpecification[]): TestSpecification[] {
    const rank = ({ moduleId }: TestSpecification): number =>
      distanceOf(relative(process.cwd(), moduleId), near) * 1e9 + (durations.get(moduleId) ?? 0);
    return [...specs].sort((a, b) => rank(a) - rank(b));
  }
  shard(specs: TestSpecification[]): TestSpecification[] {
    return specs;
  }
}

function failWith(vitest: Vitest, what: string): void {
  failed ??= what;
  void vitest.cancelCurrentRun('test-failure');
}

function reporter(vitestOf: () => Vitest): Reporter {
  return {
    onTestCaseResult(test) {
      answer({ type: 'progress' });
      if (test.result().state === 'failed') {
        const message = test.result().errors?.[0]?.message?.split('\n')[0] ?? '';
        failWith(
          vitestOf(),
          `${relative(process.cwd(), test.module.moduleId)}: ${test.fullName} (${message})`,
        );
      }
    },
    onTestModuleEnd(module: TestModule) {
      durations.set(module.moduleId, module.diagnostic().duration);
      const path = relative(process.cwd(), module.moduleId);
      if (module.state() === 'failed') failWith(vitestOf(), `${path}: it cannot be run`);
      answer({ type: 'progress' });
    },
  };
}

function answer(message: TestAnswer): void {
  process.send?.(message);
}

const vitest: Vitest = await createVitest(
  'test',
  {
    root: process.cwd(),
    project: ['node'],
    watch: false,
    // Threads die with this process, also those that a fault keeps busy.
    pool: 'threads',
    maxWorkers: 1,
    // Modules are loaded once for all files of a run, which saves two thirds.
    isolate: false,
    // A busy machine must not count as a noticed fault.
    retry: 1,
    testTimeout: 15_000,
    reporters: [reporter((): Vitest => vitest)],
  },
  { test: { sequence: { sequencer: NearestFirst } } },
);
await vitest.standalone();
const specs = await vitest.globTestSpecifications(filters);

process.on('message', ({ changed }: TestRequest) => void test(changed));
process.on('disconnect', () => process.exit());
answer({ type: 'progress' });

async function test(changed: readonly string[]): Promise<void> {
  for (const file of changed) vitest.invalidateFile(`${process.cwd()}/${file}`);
  near = changed.at(-1) ?? '';
  failed = null;
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specs);
  const thrown = unhandledErrors[0];
  if (thrown !== undefined) failed ??= `outside any test: ${String((thrown as Error).message ?? thrown)}`;
  if (failed === null && testModules.length < specs.length) failed = 'not all tests were run';
  answer({ type: 'done', failed });
}
