import { createHash } from 'node:crypto';

/** Random numbers of a seed: whole ones from 0 to below a limit. */
export type SeededRandom = { readonly below: (limit: number) => number };

export function seededRandom(seed: number): SeededRandom {
  let drawn = 0;
  const next = (): number => createHash('sha256').update(`${seed} ${drawn++}`).digest().readUInt32BE();
  return { below: (limit) => next() % limit };
}
