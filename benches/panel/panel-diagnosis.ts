import { median } from '../report.ts';
import { interleave, type Measured } from '../scenario.ts';
import type { MovesResult } from '../page/run-panel-moves.ts';
import { openBenchBrowser, type Ran } from '../server/bench-browser.ts';

/**
 * Measures the longest task of a page while a run of 1,000 steps and 10 MB is diagnosed, and that of opening the panel on
 * it, by processor time, which other processes do not affect.
 */
export async function panelDiagnosis(rounds: number): Promise<Measured> {
  const bench = await openBenchBrowser(1);
  const results = await interleave(['diagnosis'], Math.min(rounds, 3), () =>
    bench.inPage('runPanelMoves', 'panel', { what: 'diagnosis' }, true),
  );
  await bench.close();
  const ran = (results.get('diagnosis') ?? []).flatMap((one) => one ?? []);
  const ofDiagnosis = ran.map((one) => longestTask(one, false));
  const ofOpening = median(ran.map((one) => longestTask(one, true)));
  const took = ran.flatMap(({ result }) => result.diagnoses.map(({ from, to }) => to - from));
  return {
    tables: [
      {
        title: 'The panel opens on 1,000 steps of 10 MB and diagnoses them',
        head: ['', ''],
        rows: [
          ['longest task of the diagnosis, CPU ms', median(ofDiagnosis).toFixed(1)],
          ['longest task of opening, CPU ms', ofOpening.toFixed(1)],
          ['from the click to the diagnosed verdict, ms', median(took).toFixed(0)],
        ],
      },
    ],
    figures: [
      { goal: 'panelDiagnosis', of: 'longest', value: median(ofDiagnosis) },
      { goal: 'panelOpening', of: 'longest', value: ofOpening },
    ],
    published: [
      {
        what: 'Longest task of the page while the panel diagnoses 1,000 steps of 10 MB, in ms of CPU',
        vitrine: ofDiagnosis,
        peer: [],
      },
    ],
  };
}

/** Processor time of the longest task that began while the panel opened, or outside of that. */
function longestTask({ result, tasks }: Ran<MovesResult>, isOpening: boolean): number {
  const wanted = tasks.filter(
    ({ startedAt }) =>
      result.opens.some(({ from, to }) => startedAt >= from && startedAt <= to) === isOpening,
  );
  return Math.max(...wanted.map(({ cpuMs }) => cpuMs));
}
