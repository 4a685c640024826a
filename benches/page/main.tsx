// First, because React looks for it when it is loaded.
import './probe.ts';
import type { BenchWindow } from './bench-window.ts';
import { runners } from './runners.ts';

let run: () => Promise<unknown> = () => Promise.reject(new Error('Nothing is prepared.'));

Object.assign(window, {
  async prepare(runner, adapter, params) {
    run = await runners[runner as keyof typeof runners](adapter, params as never);
  },
  run() {
    // The trace is evaluated from this mark on.
    performance.mark('bench-run');
    return run();
  },
} satisfies BenchWindow);
