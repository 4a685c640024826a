import { median, type Table } from '../report.ts';
import { interleave } from '../scenario.ts';
import { openBenchBrowser } from '../server/bench-browser.ts';

const sizes = [1_000, 10_000];

type Case = { readonly store: string; readonly messages: number };

/** Measures the browser stores on their real storages, by the clock of a page. */
export async function inChromium(rounds: number): Promise<Table> {
  const bench = await openBenchBrowser(1);
  const cases = ['indexedDB', 'localStorage'].flatMap((store) =>
    sizes.map((messages): Case => ({ store, messages })),
  );
  const results = await interleave(cases, rounds, async ({ store, messages }) => {
    const ran = await bench.inPage('runStores', store, { messages });
    return ran?.result ?? null;
  });
  await bench.close();
  return {
    title: 'The same in Chromium, on its storages; a write is done when the browser says so',
    head: ['store', 'messages', 'save one more ms', 'append one more ms', 'load ms'],
    rows: [...results].map(([{ store, messages }, runs]) => [
      store,
      String(messages),
      ...(['saveMs', 'appendMs', 'loadMs'] as const).map((name) =>
        median(runs.map((run) => run?.[name] ?? Number.NaN)).toFixed(2),
      ),
    ]),
  };
}
