import { median } from '../report.ts';
import { interleave, type Measured } from '../scenario.ts';
import { type BenchBrowser, openBenchBrowser } from '../server/bench-browser.ts';

const steps = 5000;
const stages = ['5,000 steps', 'open', 'closed', 'open again', 'closed again'] as const;

type Heap = { readonly bytes: number; readonly nodes: number };

/** Measures the memory that the panel keeps of a long run, and the rest after it was opened and closed. */
export async function panelHeap(rounds: number): Promise<Measured> {
  const bench = await openBenchBrowser(1);
  const pages = await interleave(['without', 'with'], Math.min(rounds, 3), (page) =>
    heapsOf(bench, page === 'with'),
  );
  await bench.close();
  const megabytes = (page: string, stage: number): number =>
    median((pages.get(page) ?? []).map((heaps) => (heaps[stage]?.bytes ?? Number.NaN) / 2 ** 20));
  const nodes = (stage: number): number =>
    median((pages.get('with') ?? []).map((heaps) => heaps[stage]?.nodes ?? Number.NaN));
  return {
    tables: [
      {
        title: `The memory of a page after ${steps.toLocaleString('en')} steps`,
        head: ['page', 'MB', 'nodes'],
        rows: [
          ['without the panel', megabytes('without', 0).toFixed(1), ''],
          ...stages.map((stage, at) => [
            `with it: ${stage}`,
            megabytes('with', at).toFixed(1),
            nodes(at).toFixed(0),
          ]),
        ],
      },
    ],
    figures: [
      {
        goal: 'panelHeap',
        of: 'closed, beside a page without it',
        value: megabytes('with', 0) - megabytes('without', 0),
      },
      // The first opening also loads its code.
      { goal: 'panelHeapClosed', of: 'second time', value: megabytes('with', 4) - megabytes('with', 2) },
    ],
  };
}

async function heapsOf(bench: BenchBrowser, hasPanel: boolean): Promise<readonly Heap[]> {
  const page = await bench.openPage('runPanelHeap', 'panel', { hasPanel, steps });
  const heaps: Heap[] = [];
  for (const _stage of hasPanel ? stages : stages.slice(0, 1))
    if ((await page.run()) !== null) heaps.push(await page.heap());
  await page.close();
  return heaps;
}
