import { openBenchBrowser } from '../server/bench-browser.ts';
import type { Measured } from '../scenario.ts';

const streamMs = 60_000;
const perSecond = 200;
const views = ['Run', 'State'] as const;

/**
 * Measures renders and the longest task while the panel is open and an answer streams for a minute. It runs once,
 * because it takes long.
 */
export async function panelMinute(): Promise<Measured> {
  const bench = await openBenchBrowser(1);
  const rows: { view: string; commits: number; longest: number }[] = [];
  for (const view of views) {
    const params = { view, steps: 20, resultLength: 500, streamMs, perSecond };
    const ran = await bench.inPage('runPanel', 'panel', params, true);
    const commits = ran ? ran.result.commits / (ran.result.ms / 1000) : Number.NaN;
    const longest = ran ? Math.max(...ran.tasks.map(({ cpuMs }) => cpuMs)) : Number.NaN;
    rows.push({ view, commits, longest });
  }
  await bench.close();
  return {
    tables: [
      {
        title: `The panel while ${perSecond} deltas a second come for ${streamMs / 1000} s`,
        head: ['page', 'commits a second', 'longest task, CPU ms'],
        rows: rows.map(({ view, commits, longest }) => [view, commits.toFixed(1), longest.toFixed(1)]),
      },
    ],
    figures: rows.flatMap(({ view, commits, longest }) => [
      { goal: 'panelCommits' as const, of: `${view}, a minute`, value: commits },
      { goal: 'panelMinute' as const, of: view, value: longest },
    ]),
  };
}
