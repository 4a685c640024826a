import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { median } from '../report.ts';
import { interleave, type Measured } from '../scenario.ts';

const script = `${import.meta.dirname}/measure.ts`;
const cases = ['diagnose', 'recorded', 'none', 'set'] as const;

/** Measures what findings, a closed panel and breakpoints cost a step of a run whose model and tool answer at once. */
export async function debuggerCosts(rounds: number): Promise<Measured> {
  const results = await interleave(cases, rounds, async (where) => {
    const { stdout } = await promisify(execFile)(process.execPath, [script, where], { timeout: 300_000 });
    return Number(stdout);
  });
  const of = (where: (typeof cases)[number]): number => median(results.get(where) ?? []);
  const us = (where: (typeof cases)[number]): string => of(where).toFixed(1);
  return {
    tables: [
      {
        title: 'Findings, a closed panel and breakpoints in a run of 1,000 steps, CPU',
        head: ['a step', 'us'],
        rows: [
          ['read by all detectors', us('diagnose')],
          ['recorded by a closed panel', us('recorded')],
          ['run without a breakpoint', us('none')],
          ['run with a breakpoint that never applies', us('set')],
        ],
      },
    ],
    figures: [
      { goal: 'diagnose', of: 'all detectors', value: of('diagnose') / 1000 },
      { goal: 'recordedStep', of: 'closed', value: of('recorded') / of('none') },
      { goal: 'breakpointSet', of: 'one', value: of('set') / of('none') },
    ],
  };
}
