import { median } from '../report.ts';
import { interleave, type Measured } from '../scenario.ts';
import { openBenchBrowser } from '../server/bench-browser.ts';

const own = ['text', 'demo'];
/** `--with-peers` measures other libraries as well; they have no goal. */
const peers = process.argv.includes('--with-peers') ? ['streamdown', 'react-markdown'] : [];
const lengths = [1000, 5000, 20_000];
const deltas = 60;
const size = 25;

type Case = { readonly renderer: string; readonly length: number };

/** Measures the main-thread cost of a delta in a Markdown answer, layout included, by the length of the answer. */
export async function markdown(rounds: number): Promise<Measured> {
  const bench = await openBenchBrowser(1);
  const cases = [...own, ...peers].flatMap((renderer) =>
    lengths.map((length): Case => ({ renderer, length })),
  );
  const results = await interleave(cases, rounds, async ({ renderer, length }) => {
    const ran = await bench.inPage('runMarkdown', renderer, { length, deltas, size });
    return ran === null ? Number.NaN : ran.cpuMs / deltas;
  });
  await bench.close();
  const of = (renderer: string, length: number): number =>
    median([...results].find(([given]) => given.renderer === renderer && given.length === length)?.[1] ?? []);
  const [short = 0] = lengths;
  const long = lengths.at(-1) ?? 0;
  return {
    tables: [
      {
        title: 'CPU of a delta of Markdown in Chromium, ms',
        head: ['renderer', ...lengths.map((length) => `${length.toLocaleString('en')} characters`)],
        rows: [...own, ...peers].map((renderer) => [
          renderer,
          ...lengths.map((length) => of(renderer, length).toFixed(2)),
        ]),
      },
    ],
    figures: [{ goal: 'markdownGrowth', of: 'the demo', value: of('demo', long) / of('demo', short) }],
  };
}
