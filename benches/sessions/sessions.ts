import { median } from '../report.ts';
import { interleave, type Measured } from '../scenario.ts';
import { openBenchBrowser } from '../server/bench-browser.ts';
import { scriptPath } from '../stream-script.ts';

const sessionCount = 100;
const perOrigin = 5;
const settleMs = 2000;
const watchMs = 4000;
const delayMs = 33;
/** Longer than the page looks on. */
const deltas = Math.ceil((settleMs + watchMs + 2000) / delayMs);
const path = scriptPath({ deltas, length: 0, perWrite: 1, delayMs });

/** A hundred conversations in one page, each with about thirty deltas a second. */
export async function sessions(rounds: number): Promise<Measured> {
  const bench = await openBenchBrowser(sessionCount / perOrigin);
  const results = await interleave(['floor-frame', 'useAgent'], Math.min(rounds, 3), async (adapter) => {
    const params = { sessions: sessionCount, origins: bench.origins, path, settleMs, watchMs };
    return (await bench.inPage('runSessions', adapter, params))?.result;
  });
  await bench.close();
  type Result = NonNullable<ReturnType<typeof results.get>>[number];
  const figure = (adapter: string, read: (result: NonNullable<Result>) => number): number =>
    median((results.get(adapter) ?? []).map((result) => (result ? read(result) : Number.NaN)));
  return {
    tables: [
      {
        title: `${sessionCount} sessions that stream beside each other for ${watchMs / 1000} s, about 30 deltas a second each`,
        head: [
          'adapter',
          'frames',
          'commits',
          'a frame, at worst',
          'frames dropped',
          'longest gap ms',
          'tasks over 50 ms',
        ],
        rows: [...results.keys()].map((adapter) => [
          adapter,
          figure(adapter, (result) => result.frames).toFixed(0),
          figure(adapter, (result) => result.commits).toFixed(0),
          figure(adapter, (result) => result.commitsAFrame).toFixed(1),
          figure(adapter, (result) => result.droppedFrames).toFixed(0),
          figure(adapter, (result) => result.longestGapMs).toFixed(0),
          figure(adapter, (result) => result.longTasks).toFixed(0),
        ]),
      },
    ],
    figures: [
      {
        goal: 'sessionsCommits',
        of: 'useAgent',
        value: figure('useAgent', (result) => result.commitsAFrame),
      },
      {
        goal: 'sessionsDropped',
        of: 'useAgent',
        value: figure('useAgent', (result) => result.droppedFrames),
      },
    ],
  };
}
