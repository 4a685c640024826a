import type { SampleSession } from './sample-session.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { Env } from '@vitrine/core/internal/graph/env';
import type { StoreSuiteOptions, StoreUnderTest } from './store-under-test.ts';

/** The context of a law: a fresh store, and sample data. */
export type SuiteContext = {
  readonly under: StoreUnderTest;
  readonly reopen: () => StoreUnderTest['store'];
  readonly random: SeededRandom;
  readonly env: Env;
  readonly options: Required<StoreSuiteOptions>;
  /** Creates a session with the given number of turns. */
  readonly sample: (id: string, turns: number) => Promise<SampleSession>;
};

/** A law; its name is a sentence. `needs` lists the hooks that it requires. Default: none. */
export type Law = {
  readonly name: string;
  readonly needs?: readonly (keyof StoreUnderTest | 'runs' | 'subscribe' | 'blobs')[];
  readonly run: (context: SuiteContext) => Promise<void>;
};
