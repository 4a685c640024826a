import { median } from '../report.ts';
import { interleave, type Measured } from '../scenario.ts';
import type { SessionsResult } from '../page/run-sessions.tsx';
import { openBenchBrowser, type Ran } from '../server/bench-browser.ts';
import { busyMs, type MainTask } from '../server/main-tasks.ts';
import { scriptPath } from '../stream-script.ts';

const sessionCount = 100;
const perOrigin = 5;
const settleMs = 2000;
const watchMs = 4000;
const delayMs = 33;
/** Longer than the page measures. */
const deltas = Math.ceil((settleMs + watchMs + 2000) / delayMs);
const path = scriptPath({ deltas, length: 0, perWrite: 1, delayMs });

/** Measures a hundred conversations in one page, each with about thirty deltas a second. */
export async function sessions(rounds: number): Promise<Measured> {
  const bench = await openBenchBrowser(sessionCount / perOrigin);
  const results = await interleave(['floor-frame', 'useAgent'], Math.min(rounds, 3), async (adapter) => {
    const params = { sessions: sessionCount, origins: bench.origins, path, settleMs, watchMs };
    const ran = await bench.inPage('runSessions', adapter, params, true);
    return ran === null ? null : readRun(ran);
  });
  await bench.close();
  const figure = (adapter: string, read: (result: Result) => number): number =>
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
          'by the page',
          'longest gap ms',
          'tasks over 50 ms CPU',
          'CPU',
        ],
        rows: [...results.keys()].map((adapter) => [
          adapter,
          figure(adapter, (result) => result.frames).toFixed(0),
          figure(adapter, (result) => result.commits).toFixed(0),
          figure(adapter, (result) => result.commitsAFrame).toFixed(1),
          figure(adapter, (result) => result.dropped).toFixed(0),
          figure(adapter, (result) => result.droppedByPage).toFixed(0),
          figure(adapter, (result) => result.longestGapMs).toFixed(0),
          figure(adapter, (result) => result.longTasks).toFixed(0),
          `${(figure(adapter, (result) => result.busy) * 100).toFixed(0)} %`,
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
        value: figure('useAgent', (result) => result.droppedByPage),
      },
    ],
  };
}

type Result = {
  readonly frames: number;
  readonly commits: number;
  readonly commitsAFrame: number;
  readonly dropped: number;
  readonly droppedByPage: number;
  readonly longestGapMs: number;
  readonly longTasks: number;
  /** The share of time in which the main thread worked, from 0 to 1. */
  readonly busy: number;
};

const frameMs = 1000 / 60;
/** A page that works for this part of a gap has no time for a frame. */
const alwaysBusy = 0.75;

/**
 * Frames of a gap that the page itself dropped, by processor time: one of its tasks took longer than a frame, or it
 * worked all the time. Otherwise the machine had given its processor to others.
 */
function droppedByPage(tasks: readonly MainTask[], from: number, to: number): number {
  const missed = Math.max(0, Math.round((to - from) / frameMs) - 1);
  if (missed === 0) return 0;
  const within = tasks.filter(({ startedAt, ms }) => startedAt < to && startedAt + ms > from);
  const byTasks = within.reduce((sum, { cpuMs }) => sum + Math.floor(cpuMs / frameMs), 0);
  const busy = busyMs(within, from, to);
  const byAll = busy / (to - from) > alwaysBusy ? Math.floor(busy / frameMs) : 0;
  return Math.min(missed, Math.max(byTasks, byAll));
}

function readRun({ result, tasks }: Ran<SessionsResult>): Result {
  const { framesAt, commits, commitsAFrame } = result;
  const gaps = framesAt.slice(1).map((to, at) => {
    const from = framesAt[at] ?? to;
    const missed = Math.max(0, Math.round((to - from) / frameMs) - 1);
    return { ms: to - from, missed, byPage: droppedByPage(tasks, from, to) };
  });
  const [first = 0, last = 0] = [framesAt[0], framesAt.at(-1)];
  return {
    frames: gaps.length,
    commits,
    commitsAFrame,
    dropped: gaps.reduce((sum, { missed }) => sum + missed, 0),
    droppedByPage: gaps.reduce((sum, { byPage }) => sum + byPage, 0),
    longestGapMs: Math.max(...gaps.map(({ ms }) => ms)),
    longTasks: tasks.filter(({ startedAt, cpuMs }) => startedAt >= first && cpuMs > 50).length,
    busy: busyMs(tasks, first, last) / (last - first),
  };
}
