import { median } from './report.ts';
import { interleave } from './scenario.ts';

type Act = () => unknown;

/** Times all acts once a round and gives the median of each, in milliseconds. */
export async function sideBySide<const Acts extends readonly Act[]>(
  rounds: number,
  acts: Acts,
): Promise<{ readonly [Place in keyof Acts]: number }> {
  const times = await interleave<Act, number>(acts, rounds, async (act) => {
    const startedAt = performance.now();
    await act();
    return performance.now() - startedAt;
  });
  return acts.map((act) => median(times.get(act) ?? [])) as { [Place in keyof Acts]: number };
}
