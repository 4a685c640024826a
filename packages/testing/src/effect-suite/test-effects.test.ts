import { describe, expect, it } from 'vitest';
import { effectLog } from '@vitrine/core/internal/run/effect-log';
import { memoryEffectRecords } from '../memory-effects.ts';
import type { EffectsUnderTest } from './effects-under-test.ts';
import { testEffects } from './test-effects.ts';

const isProof = Number(process.env['PROVE_RUNS'] ?? 0) >= 1000;

describe('an effect log in memory', () => {
  const make = (): EffectsUnderTest => {
    const records = memoryEffectRecords();
    return { effects: effectLog(records), reopen: () => effectLog(records), records };
  };
  const laws = testEffects(make, isProof ? {} : { kills: 25 });
  it.each(laws.map(({ name, run }) => [name, run] as const))('%s', async (_law, run) => {
    expect(await run()).toEqual({ skipped: null });
  });
});
