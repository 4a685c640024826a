import { median } from '../report.ts';
import { interleave, type Measured } from '../scenario.ts';
import type { PanelResult, PanelView } from '../page/run-panel.ts';
import { openBenchBrowser, type Ran } from '../server/bench-browser.ts';

const streamMs = 4000;
const stepsBefore = 20;
const resultLength = 500;
const views: readonly PanelView[] = [
  'none',
  'closed',
  'Run',
  'Graph',
  'Events',
  'Sent',
  'Received',
  'Tools',
  'State',
  'Why',
];
/** The largest measured record: 10 MB in 1,000 steps. */
const large = { view: 'Run', steps: 1000, resultLength: 10_000, streamMs: 0 } as const;

/** Measures the main-thread time of the panel at a thousand deltas a second, page by page, and its opening. */
export async function panel(rounds: number): Promise<Measured> {
  const bench = await openBenchBrowser(1);
  const few = Math.min(rounds, 3);
  const results = await interleave(views, few, (view) =>
    bench.inPage('runPanel', 'panel', { view, steps: stepsBefore, resultLength, streamMs }),
  );
  const opened = await interleave(['opens'], few, () => bench.inPage('runPanel', 'panel', large));
  await bench.close();
  const figure = (view: PanelView, read: (ran: Ran<PanelResult>) => number): number =>
    median((results.get(view) ?? []).map((ran) => (ran ? read(ran) : Number.NaN)));
  const cpu = (view: PanelView): number => figure(view, ({ cpuMs, result }) => cpuMs / result.ms);
  const without = cpu('none');
  const commits = (view: PanelView): number =>
    figure(view, ({ result }) => result.commits / (result.ms / 1000));
  const openMs = median((opened.get('opens') ?? []).map((ran) => (ran ? ran.result.ms : Number.NaN)));
  const open = views.filter((view) => view !== 'none' && view !== 'closed');
  return {
    tables: [
      {
        title: `The panel while 1,000 deltas a second come for ${streamMs / 1000} s, after ${stepsBefore} steps`,
        head: ['page', 'commits a second', 'main thread', 'of it the panel'],
        rows: views.map((view) => [
          view,
          commits(view).toFixed(1),
          `${(cpu(view) * 100).toFixed(1)} %`,
          `${((cpu(view) - without) * 100).toFixed(1)} %`,
        ]),
      },
      {
        title: 'The panel opens on 1,000 steps of 10 MB',
        head: ['', 'ms'],
        rows: [['to the frame that shows the steps', openMs.toFixed(0)]],
      },
    ],
    figures: [
      { goal: 'panelClosed', of: 'closed', value: cpu('closed') - without },
      ...open.map((view) => ({ goal: 'panelOpen', of: view, value: cpu(view) - without }) as const),
      ...open.map((view) => ({ goal: 'panelCommits', of: view, value: commits(view) }) as const),
      { goal: 'panelOpens', of: '1,000 steps, 10 MB', value: openMs },
    ],
  };
}
