import { startPostgres } from '../../tests/servers/start-postgres.ts';
import { percentile } from '../report.ts';
import { interleave, type Measured } from '../scenario.ts';
import { type BenchBrowser, openBenchBrowser } from '../server/bench-browser.ts';
import { type HostKind, onHost } from './on-host.ts';

const words = 100;
const names = ['laptop', 'phone', 'other phone'] as const;
type Delays = readonly (readonly number[])[];

/** Measures how long a word of the model takes to its paint in three profiles of Chromium that show one session. */
export async function devices(rounds: number): Promise<Measured> {
  const bench = await openBenchBrowser(1);
  const database = await startPostgres();
  const kinds: readonly HostKind[] = database === null ? ['sqlite'] : ['sqlite', 'dbos'];
  const places = { upstream: bench.origins[0] ?? '', database: database?.url ?? '' };
  const results = await interleave(kinds, Math.min(rounds, 3), (kind) =>
    onHost(kind, places, ({ url }) => delaysOf(bench, url)),
  );
  await bench.close();
  await database?.stop();
  const delays = (kind: HostKind, device: number): readonly number[] =>
    (results.get(kind) ?? []).flatMap((round) => round[device] ?? []);
  const all = (kind: HostKind): readonly number[] => names.flatMap((_name, device) => delays(kind, device));
  return {
    tables: [
      {
        title: 'From a word of the model to its paint on three devices that show one session, in ms',
        head: ['', 'device', 'words', 'p50', 'p99'],
        rows: kinds.flatMap((kind) =>
          names.map((name, device) => [
            kind,
            name,
            String(delays(kind, device).length),
            percentile(delays(kind, device), 0.5).toFixed(0),
            percentile(delays(kind, device), 0.99).toFixed(0),
          ]),
        ),
      },
    ],
    figures: kinds.map((kind) => ({ goal: 'devicesLive', of: kind, value: percentile(all(kind), 0.99) })),
  };
}

/** The delays on each device while the first one asks. */
async function delaysOf({ openPage }: BenchBrowser, url: string): Promise<Delays> {
  const sessionId = crypto.randomUUID();
  const pages = await Promise.all(
    names.map((_name, device) =>
      openPage('runDevice', '', { url, sessionId, isAsking: device === 0, words }),
    ),
  );
  const ran = await Promise.all(pages.map((page) => page.run()));
  await Promise.all(pages.map((page) => page.close()));
  // A device that did not paint all words in time has none that count.
  return ran.map((one) => one?.result ?? [Infinity]);
}
