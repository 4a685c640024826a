import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { GoalName } from '../goals.ts';
import { median } from '../report.ts';
import { interleave, type Measured } from '../scenario.ts';

const script = `${import.meta.dirname}/measure.ts`;

const goalOf: Readonly<Record<string, GoalName>> = {
  root: 'deltaAtRoot',
  'depth-2': 'deltaBelow',
  siblings: 'deltaBelow',
};

/** What a text delta costs through `commit`: at the root, two agents down, and in the last of 200 subagents side by side. */
export async function deltas(rounds: number): Promise<Measured> {
  const results = await interleave(Object.keys(goalOf), rounds, async (where) => {
    const { stdout } = await promisify(execFile)(process.execPath, [script, where], { timeout: 300_000 });
    return Number(stdout);
  });
  const figures = [...results].flatMap(([of, values]) => {
    const goal = goalOf[of];
    return goal ? [{ goal, of, value: median(values) }] : [];
  });
  return { tables: [], figures };
}
