import type { ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { adapterOf } from './adapters/index.ts';
import { commitsAFrame, pause, watchFrames } from './probe.ts';

export type SessionsParams = {
  readonly sessions: number;
  /** The servers; a browser opens six connections to each. */ readonly origins: readonly string[];
  readonly path: string;
  /** Time to start all streams, and to watch them, in milliseconds. */
  readonly settleMs: number;
  readonly watchMs: number;
};

export type SessionsResult = {
  /** The times at which frames began, on the clock of the page. */ readonly framesAt: readonly number[];
  readonly commits: number;
  readonly commitsAFrame: number;
};

/** Streams many conversations concurrently in one page and measures only while all of them stream. */
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
