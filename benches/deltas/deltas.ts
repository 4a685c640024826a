import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { median } from '../report.ts';
import { interleave, type Measured } from '../scenario.ts';

const script = `${import.meta.dirname}/measure.ts`;

const below = ['depth-2', 'siblings'];
const cases = ['first-version', 'root', ...below];

/**
 * Measures the cost of a text delta through `commit`: at the root, two agents down, and in the last of 200 concurrent
 * subagents.
 */
export async function deltas(rounds: number): Promise<Measured> {
  const results = await interleave(cases, rounds, async (where) => {
    const { stdout } = await promisify(execFile)(process.execPath, [script, where], { timeout: 300_000 });
    return Number(stdout);
  });
  const of = (where: string): number => median(results.get(where) ?? []);
  return {
    tables: [
      {
        title: 'A text delta through commit, microseconds of processor time',
        head: ['where', 'us'],
        rows: cases.map((where) => [where, of(where).toFixed(3)]),
      },
    ],
    figures: [
      { goal: 'deltaAtRoot', of: 'root', value: of('root') / of('first-version') },
      ...below.map((where) => ({ goal: 'deltaBelow' as const, of: where, value: of(where) })),
    ],
  };
}
