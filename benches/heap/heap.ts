import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { GoalName } from '../goals.ts';
import { median } from '../report.ts';
import { interleave, type Measured } from '../scenario.ts';

const script = `${import.meta.dirname}/measure.ts`;

const goalOf: Readonly<Record<string, { readonly goal: GoalName; readonly bytes: number }>> = {
  steps: { goal: 'heapAfterRun', bytes: 1024 * 1024 },
  reload: { goal: 'heapAfterReload', bytes: 1024 * 1024 },
  executions: { goal: 'heapPerExecution', bytes: 1 },
};

/** Measures retained memory, each figure in its own process. */
export async function heap(rounds: number): Promise<Measured> {
  const results = await interleave(Object.keys(goalOf), Math.min(rounds, 3), async (what) => {
    const args = ['--expose-gc', '--max-old-space-size=4096', script, what];
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 300_000 });
    return Number(stdout);
  });
  const figures = [...results].flatMap(([what, values]) => {
    const row = goalOf[what];
    return row ? [{ goal: row.goal, of: 'core', value: median(values) / row.bytes }] : [];
  });
  return { tables: [], figures };
}
