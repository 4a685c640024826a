import type { TurnResult } from '../page/run-turns.tsx';
import { median } from '../report.ts';
import { interleave, type Measured } from '../scenario.ts';
import { type BenchBrowser, openBenchBrowser } from '../server/bench-browser.ts';
import { scriptPath } from '../stream-script.ts';

const path = scriptPath({ deltas: 2000, length: 0, perWrite: 1, delayMs: 0 });
/** From a real server; and, slower but steadier, from within the page with a task for every delta. */
const sources = { http: [0, 1000], tasks: [0, 100, 1000, 10_000] };
const own = ['useAgent', 'useMessage'];
const adapters = ['floor', 'floor-frame', ...own, 'ai-sdk'];

type Source = keyof typeof sources;
type Case = { readonly source: Source; readonly history: number; readonly adapter: string };
type Run = { readonly turns: readonly TurnResult[]; readonly cpuMs: number };

/** The first of them warms up. */
const turns = { http: 9, tasks: 4 };

/** 2,000 deltas through request, server-sent events and React, in Chromium, as a production build. */
export async function streaming(rounds: number): Promise<Measured> {
  const bench = await openBenchBrowser(1);
  const results = await interleave(casesOf(adapters), rounds, (given) => measure(bench, given));
  await bench.close();
  return report(results, rounds);
}

function casesOf(names: readonly string[]): Case[] {
  return (['http', 'tasks'] as const).flatMap((source) =>
    sources[source].flatMap((history) =>
      names
        // Ten seconds an answer would teach nobody anything.
        .filter((adapter) => adapter !== 'ai-sdk' || history <= 1000)
        .map((adapter) => ({ source, history, adapter })),
    ),
  );
}

async function measure({ inPage, origins }: BenchBrowser, { source, history, adapter }: Case): Promise<Run> {
  const origin = source === 'http' ? (origins[0] ?? '') : null;
  const run = await inPage('runTurns', adapter, {
    history,
    origin,
    path,
    turns: turns[source],
    isBlind: false,
  });
  return { turns: run?.result ?? [], cpuMs: (run?.cpuMs ?? Number.NaN) / turns[source] };
}

function report(results: ReadonlyMap<Case, readonly Run[]>, rounds: number): Measured {
  const runs = ({ source, history, adapter }: Case): readonly Run[] =>
    [...results].find(
      ([given]) => given.source === source && given.history === history && given.adapter === adapter,
    )?.[1] ?? [];
  const turnsOf = (given: Case): readonly TurnResult[] => runs(given).flatMap((run) => run.turns);
  const figure = (given: Case, read: (turn: TurnResult) => number): number =>
    median(turnsOf(given).map(read));
  const ms = (given: Case): number => figure(given, (turn) => turn.ms);
  const than = (given: Case, adapter: string): number => ms(given) / ms({ ...given, adapter });
  const most = (given: Case, read: (turn: TurnResult) => number): number =>
    turnsOf(given).length > 0 ? Math.max(...turnsOf(given).map(read)) : Number.NaN;
  const named = ({ source, history, adapter }: Case): string => `${adapter}, ${history} messages, ${source}`;
  const cases = casesOf(own);
  return {
    tables: [
      {
        title: `Streaming 2,000 deltas in Chromium, median of ${rounds} runs of some answers each`,
        head: [
          'source',
          'history',
          'adapter',
          'ms',
          'x floor',
          'x floor-frame',
          'CPU ms',
          'commits',
          'history renders',
        ],
        rows: [...results.keys()].map((given) => [
          given.source,
          String(given.history),
          given.adapter,
          ms(given).toFixed(0),
          than(given, 'floor').toFixed(2),
          than(given, 'floor-frame').toFixed(2),
          median(runs(given).map((run) => run.cpuMs)).toFixed(0),
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
          value: ms(given) / ms({ ...given, history: 0 }),
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
