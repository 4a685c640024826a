import type { TurnResult } from '../page/run-turns.tsx';
import { median } from '../report.ts';
import type { Measured } from '../scenario.ts';
import { type BenchBrowser, type BenchPage, openBenchBrowser } from '../server/bench-browser.ts';
import { scriptPath } from '../stream-script.ts';

const own = ['useAgent', 'useMessage'];
/** With `--with-peers` what others offer is measured beside them; no goal is about it, and it takes its time. */
const peers = process.argv.includes('--with-peers') ? ['ai-sdk'] : [];
const adapters = ['floor', 'floor-frame', ...own, ...peers];

/** From a real server; and, slower but steadier, from within the page with a task for every delta. */
type Source = 'http' | 'tasks';
type Case = { readonly source: Source; readonly history: number; readonly adapter: string };
/** An answer, beside those that the other pages of its group were given in the same moment. */
type Run = TurnResult & { readonly cpuMs: number };

/**
 * So many that an answer takes twenty frames: where it takes two, what is measured is which frame the last delta just
 * misses. Fewer beside 10,000 messages, where the floor renders each of them for every delta.
 */
function deltasOf({ source, history }: Case): number {
  if (source === 'http') return 30_000;
  return history > 1000 ? 2000 : 10_000;
}

/** Pages that are open at once; what is compared stands in one group. */
const groups: readonly { readonly source: Source; readonly histories: readonly number[] }[] = [
  { source: 'http', histories: [0, 1000] },
  { source: 'tasks', histories: [0, 1000] },
  { source: 'tasks', histories: [100] },
  { source: 'tasks', histories: [10_000] },
];

/** Answers of one page, at most; the first of them warms up. A network gives very unequal ones, so there it takes more. */
const turnsOf = { http: 20, tasks: 12 } as const;
/** Answers of one page that are taken even when a group has had its time. */
const leastTurns = 3;
/** Time for a group of pages in one round: on a busy machine it gives fewer answers, and still ends. */
const groupMs = 90_000;

/** Answers through request, server-sent events and React, in Chromium, as a production build. */
export async function streaming(rounds: number): Promise<Measured> {
  const bench = await openBenchBrowser(1);
  const results = new Map<Case, Run[]>();
  for (let round = 0; round < rounds; round++)
    for (const { source, histories } of groups) await measure(bench, casesOf(source, histories), results);
  await bench.close();
  return report(results);
}

const known = new Map<string, Case>();

function caseOf(source: Source, history: number, adapter: string): Case {
  const name = `${source} ${history} ${adapter}`;
  const found = known.get(name) ?? { source, history, adapter };
  known.set(name, found);
  return found;
}

function casesOf(source: Source, histories: readonly number[], names = adapters): Case[] {
  return histories.flatMap((history) =>
    names
      // Ten seconds an answer would teach nobody anything.
      .filter((adapter) => !peers.includes(adapter) || history <= 1000)
      .map((adapter) => caseOf(source, history, adapter)),
  );
}

/**
 * One answer in each page, and again, forwards and backwards in turn: whatever else the machine does in that second, it
 * does to all. Only one page works at a time.
 */
async function measure(
  { openPage, origins }: BenchBrowser,
  cases: readonly Case[],
  results: Map<Case, Run[]>,
): Promise<void> {
  const pages: { readonly given: Case; readonly page: BenchPage<readonly TurnResult[]> }[] = [];
  for (const given of cases) {
    const origin = given.source === 'http' ? (origins[0] ?? '') : null;
    const params = {
      history: given.history,
      origin,
      path: scriptPath({ deltas: deltasOf(given), length: 0, perWrite: 1, delayMs: 0 }),
      turns: 1,
      isBlind: false,
    };
    pages.push({ given, page: await openPage('runTurns', given.adapter, params) });
  }
  const turns = Math.max(...cases.map(({ source }) => turnsOf[source]));
  const startedAt = performance.now();
  for (let turn = 0; turn < turns; turn++) {
    if (turn >= leastTurns && performance.now() - startedAt > groupMs) break;
    for (const { given, page } of turn % 2 === 0 ? pages : pages.toReversed()) {
      if (peers.includes(given.adapter) && turn > 2) continue;
      const ran = await page.run();
      const [result = failed] = ran?.result ?? [];
      const run: Run = { ...result, cpuMs: ran?.cpuMs ?? Number.NaN };
      if (turn > 0) results.set(given, [...(results.get(given) ?? []), run]);
    }
  }
  for (const { page } of pages) await page.close();
}

const failed: TurnResult = {
  ms: Number.NaN,
  commits: Number.NaN,
  commitsAFrame: Number.NaN,
  historyRenders: Number.NaN,
  longTasks: [],
};

function report(results: ReadonlyMap<Case, readonly Run[]>): Measured {
  const runs = (given: Case): readonly Run[] => results.get(given) ?? [];
  const figure = (given: Case, read: (run: Run) => number): number => median(runs(given).map(read));
  /** Of answers of one moment, so that what the machine does beside them cancels out. */
  const paired = (given: Case, other: Case, read: (run: Run) => number = ({ ms }) => ms): number =>
    median(
      runs(given).map((run, at) => read(run) / read(runs(other)[at] ?? { ...failed, cpuMs: Number.NaN })),
    );
  const than = (given: Case, adapter: string, read?: (run: Run) => number): number =>
    paired(given, caseOf(given.source, given.history, adapter), read);
  const growth = (given: Case): number => paired(given, caseOf(given.source, 0, given.adapter));
  /** Beside that of the floor, whose page of 1,000 rows takes longer to lay out, too. */
  const growthBesideFloor = ({ source, history, adapter }: Case): number => {
    const beside = (messages: number): number[] => {
      const floor = runs(caseOf(source, messages, 'floor-frame'));
      return runs(caseOf(source, messages, adapter)).map(({ ms }, at) => ms / (floor[at] ?? failed).ms);
    };
    const atNone = beside(0);
    return median(beside(history).map((ratio, at) => ratio / (atNone[at] ?? Number.NaN)));
  };
  const most = (given: Case, read: (run: Run) => number): number =>
    runs(given).length > 0 ? Math.max(...runs(given).map(read)) : Number.NaN;
  const named = ({ source, history, adapter }: Case): string => `${adapter}, ${history} messages, ${source}`;
  const cases = groups.flatMap(({ source, histories }) => casesOf(source, histories, own));
  return {
    tables: [
      {
        title: 'Streaming in Chromium, medians of answers and of their ratios',
        head: [
          'source',
          'history',
          'deltas',
          'adapter',
          'answers',
          'ms',
          'x floor',
          'x floor-frame',
          'x at none',
          'CPU ms',
          'CPU x floor-frame',
          'commits',
          'history renders',
        ],
        rows: [...results.keys()].map((given) => [
          given.source,
          String(given.history),
          String(deltasOf(given)),
          given.adapter,
          String(runs(given).length),
          figure(given, ({ ms }) => ms).toFixed(0),
          than(given, 'floor').toFixed(2),
          than(given, 'floor-frame').toFixed(2),
          given.history === 1000 ? growth(given).toFixed(2) : '',
          figure(given, ({ cpuMs }) => cpuMs).toFixed(0),
          than(given, 'floor-frame', ({ cpuMs }) => cpuMs).toFixed(2),
          figure(given, (turn) => turn.commits).toFixed(0),
          most(given, (turn) => turn.historyRenders).toFixed(0),
        ]),
      },
    ],
    figures: [
      ...cases.map((given) => ({
        goal: 'streamingWall' as const,
        of: named(given),
        value: than(given, 'floor-frame'),
      })),
      ...cases
        .filter(({ history }) => history === 1000)
        .map((given) => ({
          goal: 'streamingGrowth' as const,
          of: `${given.adapter}, ${given.source}`,
          // It grows where it does both in itself and beside the floor: either alone may be the floor's own noise.
          value: Math.min(growth(given), growthBesideFloor(given)),
        })),
      ...cases.map((given) => ({
        goal: 'streamingHistory' as const,
        of: named(given),
        value: most(given, (turn) => turn.historyRenders),
      })),
      ...cases.map((given) => ({
        goal: 'streamingCommits' as const,
        of: named(given),
        value: most(given, (turn) => turn.commitsAFrame),
      })),
    ],
  };
}
