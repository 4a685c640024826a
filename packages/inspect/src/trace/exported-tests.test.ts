import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { agentOf } from '@vitrine/core/internal/run/random-agent.fixture';
import { type Plan, plan } from '@vitrine/core/internal/run/random-plan.fixture';
import { runAll } from '@vitrine/core/internal/run/random-runs.fixture';
import { fixedEnv } from '@vitrine/testing/internal/fixed-env';
import { ask } from '@vitrine/testing/internal/fixtures';
import { journalDocument } from '../replay/journal-document.ts';
import { testOfJournal } from './test-of-journal.ts';

const count = Number(process.env['PROVE_RUNS'] ?? 2);
// The folder is inside the repository, so that the tests find the packages.
const work = `${import.meta.dirname}/.exported`;
rmSync(work, { recursive: true, force: true });
mkdirSync(work, { recursive: true });
afterAll(() => rmSync(work, { recursive: true, force: true }));

writeFileSync(
  `${work}/vitest.config.ts`,
  `export default {
  resolve: { conditions: ['@vitrine/source'] },
  ssr: { resolve: { conditions: ['@vitrine/source'] } },
  test: { include: ['*.test.ts'] },
};`,
);

/** A plan with one call at a time: the order of parallel hooks depends on timing. */
const calm = (planned: Plan): Plan => ({ ...planned, concurrency: 1, abortAt: null });

/** Writes the agent of a plan and the test of its recorded run. */
async function exportTest(planned: Plan, index: number): Promise<void> {
  const env = fixedEnv();
  const base = ask('Hello', env);
  const { entries } = await runAll(planned, agentOf(planned, new Map()), env, base);
  const events = entries.map(({ event }) => event);
  const journal = journalDocument('run', base, events);
  const test = testOfJournal({
    journal,
    name: 'helper',
    request: 'Hello',
    agentModule: `./agent-${index}.ts`,
  });
  writeFileSync(`${work}/run-${index}.test.ts`, test);
  writeFileSync(
    `${work}/agent-${index}.ts`,
    `import { agentOf } from '@vitrine/core/internal/run/random-agent.fixture';
export const agent = agentOf(${JSON.stringify(planned)}, new Map());`,
  );
}

function vitest(): Promise<{ readonly ok: boolean; readonly output: string }> {
  const args = ['vitest', 'run', '--root', work, '--config', `${work}/vitest.config.ts`];
  return new Promise((resolve) =>
    execFile('npx', args, { timeout: 500_000 }, (error, output, errors) =>
      resolve({ ok: error === null, output: output + errors }),
    ),
  );
}

describe('recorded runs that were exported as tests', () => {
  it(
    'an exported test passes when it is run, and fails with step and path when a prompt has changed',
    { timeout: 600_000 },
    async () => {
      const plans = fc.sample(plan, { numRuns: count }).map(calm);
      for (const [index, planned] of plans.entries()) await exportTest(planned, index);
      const passed = await vitest();
      expect(passed.output).toMatch(new RegExp(`${count} passed`));
      expect(passed.ok).toBe(true);
      writeFileSync(
        `${work}/agent-0.ts`,
        `import { agentOf } from '@vitrine/core/internal/run/random-agent.fixture';
export const agent = { ...agentOf(${JSON.stringify(plans[0])}, new Map()), systemPrompt: 'Another.' };`,
      );
      const failed = await vitest();
      expect(failed.ok).toBe(false);
      expect(failed.output).toMatch(/Step 1: the prompt differs from the recording at systemPrompt/);
      expect(failed.output).toMatch(/1 failed/);
    },
  );
});
