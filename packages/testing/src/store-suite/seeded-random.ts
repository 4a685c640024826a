/** Seeded random numbers: mulberry32 (public domain, by Tommy Ettinger). */
export type SeededRandom = {
  readonly seed: number;
  /** An integer from 0 to below the limit. */
  readonly below: (limit: number) => number;
  readonly pick: <Value>(values: readonly Value[]) => Value;
  readonly chance: (probability: number) => boolean;
};

export function seededRandom(seed: number): SeededRandom {
  let state = seed | 0;
  function next(): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    seed,
    below,
    pick: (values) => {
      if (values.length === 0) throw new Error('There is nothing to pick from.');
      return values[below(values.length)] as (typeof values)[number];
    },
    chance: (probability) => next() < probability,
  };
}
