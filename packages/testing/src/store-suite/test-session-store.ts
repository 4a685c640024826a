import type { SessionStore } from '@vitrine/core/internal/session/store/session-store';
import { fixedEnv } from '../fixed-env.ts';
import { blobLaws } from './blob-laws.ts';
import { checkMade, checkMaker } from './check-maker.ts';
import { contractLaws } from './contract-laws.ts';
import { damageLaws } from './damage-laws.ts';
import { faultLaws } from './fault-laws.ts';
import { interleavingLaws } from './interleaving-laws.ts';
import { lateReadLaws } from './late-read-laws.ts';
import { listLaws } from './list-laws.ts';
import { longHeadLaws } from './long-head-laws.ts';
import { outboxLaws } from './outbox-laws.ts';
import { redactionLaws } from './redaction-laws.ts';
import { removalLaws } from './removal-laws.ts';
import { sampleSession } from './sample-session.ts';
import { seededRandom } from './seeded-random.ts';
import { takeoverLaws } from './takeover-laws.ts';
import type { MakeStore, StoreCheck, StoreSuiteOptions, StoreUnderTest } from './store-under-test.ts';
import type { Law } from './suite-context.ts';

/**
 * Returns every law of session stores as a check, for any test runner:
 *
 * ```ts
 * for (const { name, run } of testSessionStore(() => ({ store: myStore(), reopen: () => myStore() })))
 *   it(name, async () => void (await run()));
 * ```
 *
 * A check creates a store of its own, and rejects with the error and the seed. A check that needs a missing hook
 * resolves with `skipped`.
 * @throws AgentError `agent-invalid` when it is not given a function.
 */
export function testSessionStore(make: MakeStore, options: StoreSuiteOptions = {}): readonly StoreCheck[] {
  checkMaker(make);
  const chosen: Required<StoreSuiteOptions> = {
    seed: Math.floor(Math.random() * 2 ** 31),
    changes: 300,
    mutations: 500,
    sessions: 1_000,
    limitStep: 16,
    ...options,
  };
  const laws = [
    ...contractLaws,
    ...takeoverLaws,
    ...outboxLaws,
    ...longHeadLaws,
    ...removalLaws,
    ...interleavingLaws,
    ...faultLaws,
    ...damageLaws,
    ...listLaws,
    ...lateReadLaws,
    ...redactionLaws,
    ...blobLaws,
  ];
  return laws.map((law) => ({ name: law.name, run: () => tryLaw(law, make, chosen) }));
}

async function tryLaw(
  law: Law,
  make: MakeStore,
  options: Required<StoreSuiteOptions>,
): Promise<{ readonly skipped: string | null }> {
  const under = await make();
  checkMade(under);
  try {
    const missing = (law.needs ?? []).filter((need) => !offers(under, need));
    if (missing.length > 0) return { skipped: `the store does not offer ${missing.join(' and ')}` };
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
    throw new Error(`The session store breaks the law "${law.name}" (seed ${options.seed}): ${what}`, {
      cause,
    });
  } finally {
    await under.close?.();
  }
}

function offers(under: StoreUnderTest, need: NonNullable<Law['needs']>[number]): boolean {
  if (need === 'runs' || need === 'subscribe' || need === 'blobs') return under.store[need] !== undefined;
  return under[need] !== undefined;
}
