import type { StoreCheck } from '../store-suite/store-under-test.ts';
import type { EffectLaw, EffectSuiteOptions, MakeEffects } from './effects-under-test.ts';
import { logLaws } from './log-laws.ts';
import { loopLaws } from './loop-laws.ts';

/**
 * Returns every law of effect logs as a check, for any test runner:
 *
 * ```ts
 * for (const { name, run } of testEffects(() => ({ effects: myEffects() })))
 *   it(name, async () => void (await run()));
 * ```
 *
 * A check creates a log of its own and rejects when the log breaks the law. A check that needs a missing hook resolves
 * with `skipped`.
 */
export function testEffects(make: MakeEffects, options: EffectSuiteOptions = {}): readonly StoreCheck[] {
  const sizes = { kills: Infinity, ...options };
  return [...logLaws, ...loopLaws].map((law) => ({ name: law.name, run: () => tryLaw(law, make, sizes) }));
}

async function tryLaw(
  law: EffectLaw,
  make: MakeEffects,
  options: Required<EffectSuiteOptions>,
): Promise<{ readonly skipped: string | null }> {
  const under = await make();
  try {
    if (law.needsRecords && under.records === undefined)
      return { skipped: 'the log does not offer its records' };
    await law.run(under, under.reopen ?? (() => under.effects), options);
    return { skipped: null };
  } catch (cause) {
    const what = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`The effect log breaks the law "${law.name}": ${what}`, { cause });
  } finally {
    await under.close?.();
  }
}
