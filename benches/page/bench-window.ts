import type { runners } from './runners.ts';

export type Runners = typeof runners;

/** What the page can be asked for: to get ready, and then to run what is measured. */
export type BenchWindow = {
  readonly prepare: (runner: string, adapter: string, params: unknown) => Promise<void>;
  readonly run: () => Promise<unknown>;
};

declare global {
  interface Window extends BenchWindow {}
}
