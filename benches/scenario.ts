import type { PublishedRatios } from '../scripts/docs/measured.ts';
import type { Figure } from './goals.ts';
import type { Table } from './report.ts';

/** The result of a scenario: tables to read, the figures with goals, and ratios for docs/guide/compared.md. */
export type Measured = {
  readonly tables: readonly Table[];
  readonly figures: readonly Figure[];
  readonly published?: readonly PublishedRatios[];
};

/** Measures something so many times; figures are medians. */
export type Scenario = (rounds: number) => Promise<Measured>;

/**
 * Runs every case once a round, alternately forwards and backwards, so that a machine that slows down affects all of
 * them equally.
 * @returns The results of each case in order of its rounds.
 */
export async function interleave<Case, Result>(
  cases: readonly Case[],
  rounds: number,
  measure: (given: Case) => Promise<Result>,
): Promise<Map<Case, Result[]>> {
  const results = new Map<Case, Result[]>(cases.map((given) => [given, []]));
  for (let round = 0; round < rounds; round++) {
    for (const given of round % 2 === 0 ? cases : cases.toReversed())
      results.get(given)?.push(await measure(given));
  }
  return results;
}
