import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { growList, memoizeGrowing, sharedLength } from './memoize.ts';

type Item = { readonly value: number };

/** A change of one of the lists: it grows, loses its end, or is copied. */
const changes = fc.array(
  fc.record({
    of: fc.nat(),
    kind: fc.constantFrom('grow', 'grow', 'grow', 'cut', 'copy', 'replace'),
    count: fc.integer({ min: 0, max: 3 }),
  }),
  { maxLength: 40 },
);
type Change = { readonly of: number; readonly kind: string; readonly count: number };

/** All lists that the changes create, in order. */
function listsOf(all: readonly Change[]): (readonly Item[])[] {
  let next = 0;
  const items = (count: number): Item[] => Array.from({ length: count }, () => ({ value: next++ }));
  const lists: (readonly Item[])[] = [[]];
  for (const { of, kind, count } of all) {
    const list = lists[of % lists.length] as readonly Item[];
    if (kind === 'grow') lists.push(growList(list, items(count)));
    else if (kind === 'cut') lists.push(list.slice(0, -1 - count));
    else if (kind === 'copy') lists.push(list.slice());
    else lists.push([...list.slice(0, -1), ...items(1)]);
  }
  return lists;
}

function countedShared(a: readonly unknown[], b: readonly unknown[]): number {
  const at = a.findIndex((item, index) => item !== b[index]);
  return at < 0 ? a.length : at;
}

describe('lists that grow', () => {
  it('lists that grow report the items they share, whatever grew out of what', () => {
    fc.assert(
      fc.property(changes, (all) => {
        const lists = listsOf(all);
        for (const a of lists) for (const b of lists) expect(sharedLength(a, b)).toBe(countedShared(a, b));
      }),
    );
  });

  it('a grown list has the items at its end, and is the list itself without any', () => {
    const list = [{ value: 1 }];
    expect(growList(list, [])).toBe(list);
    expect(growList(list, [{ value: 2 }])).toEqual([{ value: 1 }, { value: 2 }]);
    expect(list).toHaveLength(1);
  });
});

describe('a memoised function of a growing list', () => {
  it('a memoised function gives the same result as a fresh one, for lists in any order', () => {
    fc.assert(
      fc.property(changes, fc.infiniteStream(fc.nat()), (all, order) => {
        const lists = listsOf(all);
        const textOf = memoizeGrowing<Item, string>((before, list, from) =>
          list.slice(from).reduce((text, { value }) => `${text} ${value}`, before ?? ''),
        );
        for (const [index] of lists.entries()) {
          const list = lists[(order.next().value + index) % lists.length] as readonly Item[];
          expect(textOf(list)).toBe(list.map(({ value }) => ` ${value}`).join(''));
        }
      }),
    );
  });

  it('a memoised function examines only new items, also after a replaced last item or a fork of the list', () => {
    let looked = 0;
    const count = memoizeGrowing<Item, number>((before, list, from) => {
      looked += list.length - from;
      return (before ?? 0) + list.length - from;
    });
    let list: readonly Item[] = Array.from({ length: 100 }, (_, value) => ({ value }));
    count(list);
    for (let value = 0; value < 10; value++) {
      list = growList(list, [{ value }]);
      expect(count(list)).toBe(list.length);
    }
    expect(looked).toBe(110);
    count([...list.slice(0, -1), { value: -1 }]);
    expect(looked).toBe(111);
    const [a, b] = [growList(list, [{ value: 1 }]), growList(list, [{ value: 2 }])];
    for (const end of [a, b, growList(a, [{ value: 3 }]), growList(b, [{ value: 4 }]), a]) count(end);
    expect(looked).toBe(115);
  });
});
