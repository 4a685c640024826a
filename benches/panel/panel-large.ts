import { median } from '../report.ts';
import { interleave, type Measured } from '../scenario.ts';
import type { MovesParams, MovesResult, Span } from '../page/run-panel-moves.ts';
import { openBenchBrowser, type Ran } from '../server/bench-browser.ts';
import { busyMs } from '../server/main-tasks.ts';

type What = MovesParams['what'];
type Results = readonly (Ran<MovesResult> | null)[];

/**
 * Measures moving through a large record, searching it, and opening a large tree in the panel, by processor time, which
 * other processes do not affect.
 */
export async function panelLarge(rounds: number): Promise<Measured> {
  const bench = await openBenchBrowser(1);
  const results = await interleave<What, Ran<MovesResult> | null>(
    ['steps', 'search', 'tree'],
    Math.min(rounds, 3),
    (what) => bench.inPage('runPanelMoves', 'panel', { what }, true),
  );
  await bench.close();
  const of = (what: What): Results => results.get(what) ?? [];
  const rows = [
    { goal: 'panelSelect', what: 'select a step', results: of('steps'), spans: 'selects' },
    { goal: 'panelScrub', what: 'scrub', results: of('steps'), spans: 'scrubs' },
    { goal: 'treeOpens', what: 'open 100,000 rows', results: of('tree'), spans: 'opens' },
  ] as const;
  const figure = (all: Results, read: (ran: Ran<MovesResult>) => number): number =>
    median(all.map((ran) => (ran ? read(ran) : Number.NaN)));
  const search = of('search');
  const longest = figure(search, longestTask);
  return {
    tables: [
      {
        title: 'A search of 1,000 steps of 10 MB, letter by letter',
        head: ['', 'ms'],
        rows: [
          ['longest task, CPU', longest.toFixed(1)],
          [
            'from the first letter to the results',
            figure(search, ({ result }) => p95(result.searches.map(lengthOf))).toFixed(0),
          ],
        ],
      },
      {
        title: 'The panel on 1,000 steps of 10 MB, and on a tree of 100,000 rows',
        head: ['', 'times', 'p95, CPU ms', 'p95, ms to the end of the frame'],
        rows: rows.map(({ what, results: all, spans }) => [
          what,
          String(all[0]?.result[spans].length ?? 0),
          figure(all, (ran) => busyP95(ran, spans)).toFixed(1),
          figure(all, ({ result }) => p95(result[spans].map(lengthOf))).toFixed(1),
        ]),
      },
    ],
    figures: [
      ...rows.map(({ goal, what, results: all, spans }) => ({
        goal,
        of: what,
        value: figure(all, (ran) => busyP95(ran, spans)),
      })),
      { goal: 'panelSearch', of: 'longest', value: longest },
      { goal: 'panelElements', of: 'most', value: figure(of('steps'), ({ result }) => result.elements) },
      { goal: 'treeRows', of: 'most', value: figure(of('tree'), ({ result }) => result.rows) },
    ],
  };
}

function busyP95({ result, tasks }: Ran<MovesResult>, spans: 'selects' | 'scrubs' | 'opens'): number {
  return p95(result[spans].map(({ from, to }) => busyMs(tasks, from, to)));
}

/** Processor time of the longest task that began during a search. */
function longestTask({ result, tasks }: Ran<MovesResult>): number {
  const during = tasks.filter(({ startedAt }) =>
    result.searches.some(({ from, to }) => startedAt >= from && startedAt <= to),
  );
  return Math.max(...during.map(({ cpuMs }) => cpuMs));
}

function lengthOf({ from, to }: Span): number {
  return to - from;
}

/** The 95th percentile. */
function p95(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.95) - 1] ?? Number.NaN;
}
