import { isAgentError } from '@vitrine/core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { unitsOf, watched } from './count-units.ts';
import { type Feed, fed } from './fed.ts';
import { hostileTexts, hostileValues } from './hostile-inputs.ts';
import { notFed } from './not-fed.ts';
import { publicFunctions } from './public-functions.ts';

/** Characters of a text, or values of JSON, before they are doubled. */
const size = Number(process.env['PROVE_SIZE'] ?? 2_000);
/** Doubled input may take so many times the units. */
const most = 2.2;
/** Units that a doubled input may take in any case: those of a fixed beginning. */
const few = 500;

beforeAll(() => void vi.spyOn(console, 'error').mockImplementation(() => undefined));
afterAll(() => vi.restoreAllMocks());

/** The units that the input takes. What is thrown must be an AgentError. */
async function cost(feed: Feed, make: (size: number) => unknown, length: number): Promise<number> {
  const input = make(length);
  return unitsOf(async () => {
    try {
      await ('text' in feed ? feed.text(input as string) : feed.json(watched(input) as never));
    } catch (thrown) {
      if (!isAgentError(thrown)) throw thrown;
    }
  });
}

describe('functions of the public entries that take text or JSON', () => {
  it('each have a row in this gate, or a reason why not', async () => {
    const rows = [...Object.keys(fed), ...notFed.flatMap(({ names }) => names)];
    expect(rows.length).toBe(new Set(rows).size);
    expect((await publicFunctions()).toSorted()).toEqual(rows.toSorted());
  });

  it.each(Object.entries(fed))(
    '%s takes at most 2.2 x the units for twice the input, and throws nothing but AgentError',
    { timeout: 3_600_000 },
    async (_name, feeds) => {
      const dear: string[] = [];
      for (const feed of feeds) {
        for (const [what, make] of Object.entries('text' in feed ? hostileTexts : hostileValues)) {
          const [once, twice] = [await cost(feed, make, size), await cost(feed, make, 2 * size)];
          if (twice <= Math.max(few, most * once)) continue;
          // A limit that only the doubled input passes, such as that of a tool's result, adds its work once.
          const fourfold = await cost(feed, make, 4 * size);
          if (fourfold > most * twice)
            dear.push(`${what}: ${once} units, ${twice} for twice as much, ${fourfold} for four times`);
        }
      }
      expect(dear).toEqual([]);
    },
  );
});

describe('the count of units', () => {
  it('the count of units finds quadratic work in patterns, in slices and in JSON', async () => {
    const squares: readonly ((text: string) => unknown)[] = [
      (text) => Array.from(text, (_letter, at) => /x/.test(text.slice(at))),
      (text) => Array.from(text, (letter) => text.includes(`${letter}x`)),
      (text) => Array.from(text, () => JSON.stringify(text)),
    ];
    for (const square of squares) {
      const [once, twice] = [
        await unitsOf(() => square('a'.repeat(200))),
        await unitsOf(() => square('a'.repeat(400))),
      ];
      expect(twice).toBeGreaterThan(3 * once);
    }
    const walk = (list: number[]): unknown => list.map((_item, at) => list.slice(0, at));
    const of = (count: number): Promise<number> =>
      unitsOf(() => walk(watched(Array(count).fill(0)) as number[]));
    expect(await of(400)).toBeGreaterThan(3 * (await of(200)));
  });
});
