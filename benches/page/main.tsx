// First: React looks for it when it is loaded.
import './probe.ts';
import type { BenchWindow } from './bench-window.ts';
import { runSessions } from './run-sessions.tsx';
import { runSteps } from './run-steps.tsx';
import { runTurns } from './run-turns.tsx';

/** Each gets a page ready, and gives back what is then measured. */
export const runners = { runTurns, runSessions, runSteps };

let run: () => Promise<unknown> = () => Promise.reject(new Error('Nothing is prepared.'));

Object.assign(window, {
  async prepare(runner, adapter, params) {
    run = await runners[runner as keyof typeof runners](adapter, params as never);
  },
  run: () => run(),
} satisfies BenchWindow);
