import { createRoot } from 'react-dom/client';
import { answerLength, parseScriptPath } from '../stream-script.ts';
import type { AdapterParams } from './adapter.ts';
import { adapterOf } from './adapters/index.ts';
import { commitsAFrame, counts, pause, resetCounts, watchFrames, whenShown } from './probe.ts';
import { view } from './row.tsx';

export type TurnsParams = AdapterParams & {
  /** Number of consecutive answers; the first one warms up unless it is the only one. */ readonly turns: number;
  /** True when rows show only the length of their text. */ readonly isBlind: boolean;
};

export type TurnResult = {
  /** Time from sending to the whole answer in the page. */ readonly ms: number;
  readonly commits: number;
  readonly commitsAFrame: number;
  readonly historyRenders: number;
  readonly longTasks: readonly number[];
};
export type TurnsResult = readonly TurnResult[];

/** Streams answers into a page with a history. */
export async function runTurns(name: string, params: TurnsParams): Promise<() => Promise<TurnsResult>> {
  view.isBlind = params.isBlind;
  const { App, send } = adapterOf(name)(params);
  createRoot(document.getElementById('root') ?? document.body).render(<App />);
  await pause(300);
  const length = answerLength(parseScriptPath(params.path));
  return async () => {
    const results: TurnResult[] = [];
    for (let turn = 0; turn < params.turns; turn++) results.push(await runTurn(send, length));
    return params.turns > 1 ? results.slice(1) : results;
  };
}

async function runTurn(send: () => Promise<void>, length: number): Promise<TurnResult> {
  resetCounts();
  const stopWatching = watchFrames();
  const isShown = whenShown(length);
  const startedAt = performance.now();
  const hasEnded = send();
  await isShown;
  const ms = performance.now() - startedAt;
  // The user's own action and the end are shown at once; in between a frame has room for one commit.
  const frames = stopWatching().commits.slice(2);
  await hasEnded;
  await pause(60);
  const { commits, history: historyRenders, longTasks } = counts;
  return { ms, commits, commitsAFrame: commitsAFrame(frames), historyRenders, longTasks };
}
