import type { runners } from './runners.ts';

export type Runners = typeof runners;

/** The functions that the page offers to the bench: preparation, and then the measured run. */
export type BenchWindow = {
  readonly prepare: (runner: string, adapter: string, params: unknown) => Promise<void>;
  readonly run: () => Promise<unknown>;
};

declare global {
  interface Window extends BenchWindow {}
}
