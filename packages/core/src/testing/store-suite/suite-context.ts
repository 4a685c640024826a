import type { SampleSession } from './sample-session.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { Env } from '../../graph/env.ts';
import type { StoreSuiteOptions, StoreUnderTest } from './store-under-test.ts';

/** What a law is tried with: a fresh store, and things to put into it. */
export type SuiteContext = {
  readonly under: StoreUnderTest;
  readonly reopen: () => StoreUnderTest['store'];
  readonly random: SeededRandom;
  readonly env: Env;
  readonly options: Required<StoreSuiteOptions>;
  /** A session with the given number of turns. */
  readonly sample: (id: string, turns: number) => Promise<SampleSession>;
};

/** A law: its name says what holds. `needs` are the hooks without which it cannot be tried. */
export type Law = {
  readonly name: string;
  readonly needs: readonly (keyof StoreUnderTest | 'append' | 'runs' | 'subscribe' | 'blobs')[];
  readonly run: (context: SuiteContext) => Promise<void>;
};
