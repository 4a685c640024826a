import type { SessionStore } from '../../session/stores/session-store.ts';
import { fixedEnv } from '../fixed-env.ts';
import { blobLaws } from './blob-laws.ts';
import { contractLaws } from './contract-laws.ts';
import { damageLaws } from './damage-laws.ts';
import { faultLaws } from './fault-laws.ts';
import { interleavingLaws } from './interleaving-laws.ts';
import { listLaws } from './list-laws.ts';
import { sampleSession } from './sample-session.ts';
import { seededRandom } from './seeded-random.ts';
import type { MakeStore, StoreCheck, StoreSuiteOptions, StoreUnderTest } from './store-under-test.ts';
import type { Law } from './suite-context.ts';

/**
 * Every law of a session store as a list of checks, for whatever runs tests:
 *
 * ```ts
 * for (const { name, run } of testSessionStore(() => ({ store: myStore(), reopen: () => myStore() })))
 *   it(name, async () => void (await run()));
 * ```
 *
 * A check makes a store of its own, and rejects with what went wrong and the seed. The more hooks the maker offers, the
 * more is tried: a check that lacks one resolves with `skipped`.
 */
export function testSessionStore(make: MakeStore, options: StoreSuiteOptions = {}): readonly StoreCheck[] {
  const chosen: Required<StoreSuiteOptions> = {
    seed: Math.floor(Math.random() * 2 ** 31),
    changes: 300,
    mutations: 500,
    sessions: 1_000,
    limitStep: 16,
    ...options,
  };
  const laws = [...contractLaws, ...interleavingLaws, ...faultLaws, ...damageLaws, ...listLaws, ...blobLaws];
  return laws.map((law) => ({ name: law.name, run: () => tryLaw(law, make, chosen) }));
}

async function tryLaw(
  law: Law,
  make: MakeStore,
  options: Required<StoreSuiteOptions>,
): Promise<{ readonly skipped: string | null }> {
  const under = await make();
  try {
    const missing = law.needs.filter((need) => !offers(under, need));
    if (missing.length > 0) return { skipped: `without ${missing.join(' and ')} it cannot be tried` };
    const env = fixedEnv();
    await law.run({
      under,
      env,
      options,
      reopen: under.reopen ?? ((): SessionStore => under.store),
      random: seededRandom(options.seed),
      sample: (id, turns) => sampleSession(id, turns, env),
    });
    return { skipped: null };
  } catch (cause) {
    const what = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`A session store that ${law.name} (seed ${options.seed}): ${what}`, { cause });
  } finally {
    await under.close?.();
  }
}

function offers(under: StoreUnderTest, need: Law['needs'][number]): boolean {
  if (need === 'append' || need === 'runs' || need === 'subscribe' || need === 'blobs')
    return under.store[need] !== undefined;
  return under[need] !== undefined;
}
