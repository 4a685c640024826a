import type { TurnResult } from '../page/run-turns.tsx';
import { median } from '../report.ts';
import type { Measured } from '../scenario.ts';
import { type BenchBrowser, type BenchPage, openBenchBrowser } from '../server/bench-browser.ts';
import { scriptPath } from '../stream-script.ts';

const own = ['useAgent', 'useMessage'];
/** `--with-peers` measures other libraries as well; they have no goal, and it takes long. */
const peers = process.argv.includes('--with-peers') ? ['ai-sdk'] : [];
const adapters = ['floor', 'floor-frame', ...own, ...peers];

/** The source of the answer: a real server, or a task per delta within the page, which is slower but steadier. */
type Source = 'http' | 'tasks';
type Case = { readonly source: Source; readonly history: number; readonly adapter: string };
/** An answer, compared with those of the other pages of its group at the same moment. */
type Run = TurnResult & { readonly cpuMs: number };

/**
 * The number of deltas, chosen so that an answer takes twenty frames: with two frames the result depends on which frame
 * the last delta just misses. It is lower beside 10,000 messages, where the yardstick renders each of them for every
 * delta.
 */
function deltasOf({ source, history }: Case): number {
  if (source === 'http') return 30_000;
  return history > 1000 ? 2000 : 10_000;
}

/** Pages that are open at once; compared pages are in one group. */
const groups: readonly { readonly source: Source; readonly histories: readonly number[] }[] = [
  { source: 'http', histories: [0, 1000] },
  { source: 'tasks', histories: [0, 1000] },
  { source: 'tasks', histories: [100] },
  { source: 'tasks', histories: [10_000] },
];

/**
 * The most answers of one page; the first of them warms up. Answers over a network vary more, so it takes more of them.
 */
const turnsOf = { http: 20, tasks: 12 } as const;
/** The least answers of one page, even when a group has used its time. */
const leastTurns = 3;
/** The time of a group of pages in one round; a busy machine gives fewer answers and still ends. */
const groupMs = 90_000;

/** Measures answers through request, server-sent events and React, in Chromium, as a production build. */
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

function casesOf(source: Source, histories: readonly number[], names: readonly string[] = adapters): Case[] {
  return histories.flatMap((history) =>
    names
      // Ten seconds an answer would teach nothing.
      .filter((adapter) => !peers.includes(adapter) || history <= 1000)
      .map((adapter) => caseOf(source, history, adapter)),
  );
}

/**
 * Runs one answer in each page repeatedly, alternately forwards and backwards, so that other work of the machine
 * affects all equally. Only one page works at a time.
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
  /** Compares answers of one moment, so that other work of the machine cancels out. */
  const paired = (given: Case, other: Case, read: (run: Run) => number = ({ ms }) => ms): number =>
    median(
      runs(given).map((run, at) => read(run) / read(runs(other)[at] ?? { ...failed, cpuMs: Number.NaN })),
    );
  const than = (given: Case, adapter: string, read?: (run: Run) => number): number =>
    paired(given, caseOf(given.source, given.history, adapter), read);
  const growth = (given: Case): number => paired(given, caseOf(given.source, 0, given.adapter));
  /** Growth relative to the yardstick, whose page of 1,000 rows also takes longer to lay out. */
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
  const ratios = (source: Source, floor: string, isAsked: (history: number) => boolean) => {
    const asked = groups.filter((group) => group.source === source).flatMap(({ histories }) => histories);
    const of = (names: readonly string[]): number[] =>
      casesOf(source, asked.filter(isAsked), names).map((given) => than(given, floor));
    return { vitrine: of(own), peer: of(peers) };
  };
  const isUsual = (history: number): boolean => history <= 1000;
  const isLong = (history: number): boolean => history > 1000;
  return {
    published: [
      {
        what: 'Time of an answer beside up to 1,000 messages / a store that renders for each delta',
        ...ratios('tasks', 'floor', isUsual),
      },
      {
        what: 'Time of an answer beside 10,000 messages / a store that renders for each delta',
        ...ratios('tasks', 'floor', isLong),
      },
      {
        what: 'Time of an answer beside up to 1,000 messages / a store that renders once a frame',
        ...ratios('tasks', 'floor-frame', isUsual),
      },
      {
        what: 'Time of an answer beside 10,000 messages / a store that renders once a frame',
        ...ratios('tasks', 'floor-frame', isLong),
      },
      {
        what: 'Time of an answer over HTTP / a store that renders once a frame',
        ...ratios('http', 'floor-frame', isUsual),
      },
    ],
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
          // The smaller of both growths, because either alone may be noise of the yardstick.
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
