import type { ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { adapterOf } from './adapters/index.ts';
import { commitsAFrame, pause, watchFrames } from './probe.ts';

export type SessionsParams = {
  readonly sessions: number;
  /** Six connections go to one of them. */ readonly origins: readonly string[];
  readonly path: string;
  /** Time to let all streams begin, and to watch them, in milliseconds. */
  readonly settleMs: number;
  readonly watchMs: number;
};

export type SessionsResult = {
  /** When frames began, on the clock of the page. */ readonly framesAt: readonly number[];
  readonly commits: number;
  readonly commitsAFrame: number;
};

/** Many conversations that stream side by side in one page; only the time in which all do is looked at. */
export async function runSessions(
  name: string,
  params: SessionsParams,
): Promise<() => Promise<SessionsResult>> {
  const parts = Array.from({ length: params.sessions }, (_, index) =>
    adapterOf(name)({
      history: 0,
      origin: params.origins[index % params.origins.length] ?? '',
      path: params.path,
    }),
  );
  const Page = (): ReactNode =>
    parts.map(({ App }, index) => (
      <section key={index}>
        <App />
      </section>
    ));
  createRoot(document.getElementById('root') ?? document.body).render(<Page />);
  await pause(300);
  return () => watch(params, () => parts.forEach(({ send }) => void send()));
}

async function watch({ settleMs, watchMs }: SessionsParams, start: () => void): Promise<SessionsResult> {
  start();
  await pause(settleMs);
  const stopWatching = watchFrames();
  await pause(watchMs);
  const { commits, framesAt } = stopWatching();
  return {
    framesAt,
    commits: commits.reduce((sum, count) => sum + count, 0),
    commitsAFrame: commitsAFrame(commits),
  };
}
