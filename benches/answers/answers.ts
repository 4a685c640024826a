import type { TurnResult } from '../page/run-turns.tsx';
import { median } from '../report.ts';
import { interleave, type Measured } from '../scenario.ts';
import { openBenchBrowser } from '../server/bench-browser.ts';
import type { MainTask } from '../server/main-tasks.ts';
import { scriptPath } from '../stream-script.ts';

const long = scriptPath({ deltas: 40_000, length: 5, perWrite: 1, delayMs: 0 });
const huge = scriptPath({ deltas: 50_000, length: 100, perWrite: 10, delayMs: 0 });

/**
 * Adapters without a time budget lay out the text again every few deltas when deltas arrive as tasks; the network hides
 * that.
 */
const answersOf = [
  { size: '200 kB, tasks', path: long, isLocal: true },
  { size: '200 kB, http', path: long, isLocal: false },
  { size: '5 MB, http', path: huge, isLocal: false },
];

type Case = {
  readonly adapter: string;
  readonly size: string;
  readonly path: string;
  readonly isLocal: boolean;
  readonly isBlind: boolean;
};

/**
 * Measures long answers. A view that shows only the length of the text separates long tasks of the library from layout.
 */
export async function answers(rounds: number): Promise<Measured> {
  const bench = await openBenchBrowser(1);
  const cases = answersOf.flatMap((answer) =>
    ['floor-frame', 'useAgent'].flatMap((adapter) =>
      [false, true].map((isBlind): Case => ({ adapter, ...answer, isBlind })),
    ),
  );
  // A round takes long, and the results differ clearly.
  const results = await interleave(
    cases,
    Math.min(rounds, 3),
    async ({ adapter, path, isLocal, isBlind }) => {
      const params = {
        history: 0,
        origin: isLocal ? null : (bench.origins[0] ?? ''),
        path,
        turns: 1,
        isBlind,
      };
      // Only tasks of the view without text are judged, and tracing slows a run down.
      const ran = await bench.inPage('runTurns', adapter, params, isBlind);
      const turn = ran?.result[0];
      return turn === undefined ? null : { ...turn, tasks: ran?.tasks ?? [] };
    },
  );
  await bench.close();
  const of = (adapter: string, size: string, isBlind: boolean): readonly (Answer | null)[] =>
    [...results].find(
      ([given]) => given.adapter === adapter && given.size === size && given.isBlind === isBlind,
    )?.[1] ?? [];
  const figure = (all: readonly (Answer | null)[], read: (turn: Answer) => number): number =>
    median(all.map((turn) => (turn === null ? Number.NaN : read(turn))));
  const ms = (adapter: string, size: string): number => figure(of(adapter, size, false), (turn) => turn.ms);
  return {
    tables: [
      {
        title: 'Long answers in Chromium',
        head: ['adapter', 'answer', 'view', 'ms', 'commits', 'tasks over 50 ms', 'of CPU', 'longest, CPU ms'],
        rows: [...results].map(([{ adapter, size, isBlind }, all]) => [
          adapter,
          size,
          isBlind ? 'length' : 'text',
          figure(all, (turn) => turn.ms).toFixed(0),
          figure(all, (turn) => turn.commits).toFixed(0),
          figure(all, (turn) => turn.longTasks.length).toFixed(0),
          isBlind ? figure(all, (turn) => longTasks(turn).length).toFixed(0) : '',
          isBlind ? figure(all, longest).toFixed(0) : '',
        ]),
      },
    ],
    figures: answersOf.flatMap(({ size }) => [
      { goal: 'answerWall' as const, of: size, value: ms('useAgent', size) / ms('floor-frame', size) },
      {
        goal: 'answerLongTasks' as const,
        of: size,
        value: figure(of('useAgent', size, true), (turn) => longTasks(turn).length),
      },
    ]),
  };
}

type Answer = TurnResult & { readonly tasks: readonly MainTask[] };

/** Counts by processor time: a task that was long because the machine was busy is no fault of the page. */
function longTasks({ tasks }: Answer): readonly MainTask[] {
  return tasks.filter(({ cpuMs }) => cpuMs > 50);
}

function longest({ tasks }: Answer): number {
  return tasks.reduce((most, { cpuMs }) => Math.max(most, cpuMs), 0);
}
