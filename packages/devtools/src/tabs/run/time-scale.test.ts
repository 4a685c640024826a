import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { laneOf } from './lane.fixture.ts';
import { timeScale } from './time-scale.ts';

const hour = 3_600_000;

describe('the time axis of the waterfall', () => {
  it('the time axis maps every moment to a place between 0 and 1 in order', () => {
    const stretch = fc.record({ from: fc.nat(10 * hour), length: fc.nat(hour) });
    const lanes = fc.array(stretch, { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(lanes, fc.array(fc.nat(12 * hour)), (stretches, moments) => {
        const scale = timeScale(
          stretches.map(({ from, length }) => laneOf({ from, to: from + length, kinds: ['tool'] })),
        );
        const places = moments.sort((a, b) => a - b).map(scale.place);
        for (const [index, place] of places.entries()) {
          expect(place).toBeGreaterThanOrEqual(places[index - 1] ?? 0);
          expect(place).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  it('the time axis cuts out time in which a laptop slept or nobody answered, and shows its length', () => {
    const first = laneOf({ from: 0, to: 2000, kinds: ['streaming'] });
    const second = laneOf({ from: hour, to: hour + 2000, kinds: ['streaming'] });
    const scale = timeScale([first, second]);
    expect(scale.gaps.map(({ ms }) => ms)).toEqual([hour - 2000]);
    expect(scale.ms).toBe(5000);
    expect(scale.place(2000)).toBeCloseTo(0.4);
    const person = laneOf({ from: 0, to: hour, kinds: ['person'] });
    expect(timeScale([first, person, second]).gaps).toHaveLength(1);
    const silent = laneOf({ from: 0, to: 8 * hour, kinds: ['tool'] });
    expect(timeScale([silent]).gaps.map(({ ms }) => ms)).toEqual([8 * hour]);
    expect(timeScale([laneOf({ from: 0, to: 300_000, kinds: ['tool'] })]).gaps).toEqual([]);
  });
});
