import { median } from '../report.ts';
import { interleave, type Measured } from '../scenario.ts';
import { openBenchBrowser } from '../server/bench-browser.ts';

const counts = [200, 1000, 5000];

type Case = { readonly adapter: string; readonly steps: number };
type Run = { readonly meanMs: number; readonly cpuMs: number; readonly growth: number };

const failed: Run = { meanMs: Number.NaN, cpuMs: Number.NaN, growth: Number.NaN };

/** Measures runs of tool steps in a page: the last should cost as much as the first. */
export async function steps(rounds: number): Promise<Measured> {
  const bench = await openBenchBrowser(1);
  const cases = counts.flatMap((count) =>
    ['floor-frame', 'useAgent'].map((adapter): Case => ({ adapter, steps: count })),
  );
  const results = await interleave(cases, rounds, async ({ adapter, steps: count }) => {
    const run = await bench.inPage('runSteps', adapter, { steps: count });
    return run === null ? failed : readRun(run.result.endedAt, run.cpuMs);
  });
  await bench.close();
  const figure = (runs: readonly Run[], read: (run: Run) => number): number => median(runs.map(read));
  return {
    tables: [
      {
        title: `Tool steps through request, server-sent events and React in Chromium, median of ${rounds} runs`,
        head: ['adapter', 'steps', 'ms a step', 'CPU ms a step', 'last / first'],
        rows: [...results].map(([{ adapter, steps: count }, runs]) => [
          adapter,
          String(count),
          figure(runs, (run) => run.meanMs).toFixed(3),
          figure(runs, (run) => run.cpuMs).toFixed(3),
          figure(runs, (run) => run.growth).toFixed(2),
        ]),
      },
    ],
    figures: [...results]
      .filter(([{ adapter }]) => adapter === 'useAgent')
      .flatMap(([{ adapter, steps: count }, runs]) => [
        {
          goal: 'stepMean' as const,
          of: `${adapter}, ${count} steps`,
          value: figure(runs, (run) => run.meanMs),
        },
        {
          goal: 'stepGrowth' as const,
          of: `${adapter}, ${count} steps`,
          value: figure(runs, (run) => run.growth),
        },
      ]),
  };
}

/** Ten steps of half a millisecond fall into one frame or the next, so the ends are a twentieth of a long run. */
function readRun(endedAt: readonly number[], cpuMs: number): Run {
  const times = endedAt.map((time, index) => time - (endedAt[index - 1] ?? 0));
  const ends = Math.max(10, Math.round(times.length / 20));
  const growth = average(times.slice(-ends)) / average(times.slice(0, ends));
  return { meanMs: average(times), cpuMs: cpuMs / times.length, growth };
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
