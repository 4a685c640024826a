import type { TurnResult } from '../page/run-turns.tsx';
import { median } from '../report.ts';
import { interleave, type Measured } from '../scenario.ts';
import { type BenchBrowser, openBenchBrowser } from '../server/bench-browser.ts';
import { scriptPath } from '../stream-script.ts';

const path = scriptPath({ deltas: 2000, length: 0, perWrite: 1, delayMs: 0 });
const histories = [0, 100, 1000, 10_000];
const own = ['useAgent', 'useMessage'];
const adapters = ['floor', 'floor-frame', ...own, 'ai-sdk'];

type Case = { readonly adapter: string; readonly history: number };
type Run = { readonly turns: readonly TurnResult[]; readonly cpuMs: number };

const turns = 11;

/** 2,000 deltas over HTTP into a page with a history, in Chromium, as a production build. */
export async function streaming(rounds: number): Promise<Measured> {
  const bench = await openBenchBrowser(1);
  const cases = histories.flatMap((history) => adapters.map((adapter): Case => ({ adapter, history })));
  const results = await interleave(cases, rounds, (given) => measure(bench, given));
  await bench.close();
  return report(results, rounds);
}

async function measure({ inPage, origins }: BenchBrowser, { adapter, history }: Case): Promise<Run> {
  const params = { history, origin: origins[0] ?? '', path, turns, isBlind: false };
  const run = await inPage('runTurns', adapter, params);
  return { turns: run?.result ?? [], cpuMs: (run?.cpuMs ?? Number.NaN) / turns };
}

function report(results: ReadonlyMap<Case, readonly Run[]>, rounds: number): Measured {
  const runs = (adapter: string, history: number): readonly Run[] =>
    [...results].find(([given]) => given.adapter === adapter && given.history === history)?.[1] ?? [];
  const figure = (adapter: string, history: number, read: (turn: TurnResult) => number): number =>
    median(runs(adapter, history).flatMap((run) => run.turns.map(read)));
  const ms = (adapter: string, history: number): number => figure(adapter, history, (turn) => turn.ms);
  const most = (adapter: string, history: number, read: (turn: TurnResult) => number): number =>
    Math.max(
      ...runs(adapter, history).flatMap((run) => (run.turns.length > 0 ? run.turns.map(read) : [NaN])),
    );
  const ofEach = own.flatMap((adapter) => histories.map((history) => ({ adapter, history })));
  const named = ({ adapter, history }: Case): string => `${adapter}, ${history} messages`;
  return {
    tables: [
      {
        title: `Streaming 2,000 deltas over HTTP in Chromium, median of ${rounds} runs of ${turns - 1} answers`,
        head: [
          'adapter',
          'history',
          'ms',
          'x floor',
          'x floor-frame',
          'main thread CPU ms',
          'commits',
          'history renders',
        ],
        rows: [...results.keys()].map(({ adapter, history }) => [
          adapter,
          String(history),
          ms(adapter, history).toFixed(0),
          (ms(adapter, history) / ms('floor', history)).toFixed(2),
          (ms(adapter, history) / ms('floor-frame', history)).toFixed(2),
          median(runs(adapter, history).map((run) => run.cpuMs)).toFixed(0),
          figure(adapter, history, (turn) => turn.commits).toFixed(0),
          most(adapter, history, (turn) => turn.historyRenders).toFixed(0),
        ]),
      },
    ],
    figures: [
      ...ofEach.map((given) => ({
        goal: 'streamingWall' as const,
        of: named(given),
        value: ms(given.adapter, given.history) / ms('floor-frame', given.history),
      })),
      ...own.map((adapter) => ({
        goal: 'streamingGrowth' as const,
        of: adapter,
        value: ms(adapter, 1000) / ms(adapter, 0),
      })),
      ...ofEach.map((given) => ({
        goal: 'streamingHistory' as const,
        of: named(given),
        value: most(given.adapter, given.history, (turn) => turn.historyRenders),
      })),
      ...ofEach.map((given) => ({
        goal: 'streamingCommits' as const,
        of: named(given),
        value: most(given.adapter, given.history, (turn) => turn.commitsAFrame),
      })),
    ],
  };
}
