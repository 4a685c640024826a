import { describe, expect, it } from 'vitest';
import { unitsOf, watched } from '../../../../tests/hostile/count-units.ts';
import { searchTree } from '../tabs/state/state-tree.tsx';
import { type TreeRow, treeRows } from './tree-rows.ts';
import { texts as english } from '../texts.ts';

/** One value of each kind that is not JSON, and some hostile ones. */
function oddThings(): Record<string, unknown> {
  const cycle: Record<string, unknown> = {};
  cycle['again'] = cycle;
  const refuse = (): never => {
    throw new Error('Keep out');
  };
  const traps = { get: refuse, has: refuse, ownKeys: refuse, getPrototypeOf: refuse };
  const proxy: unknown = new Proxy({}, { ...traps, getOwnPropertyDescriptor: refuse });
  return {
    map: new Map<unknown, unknown>([
      ['password', 'hunter2'],
      [{}, 2],
    ]),
    set: new Set(['a', 'b']),
    date: new Date(0),
    noDate: new Date(Number.NaN),
    error: new TypeError('Not this'),
    bigint: 10n,
    symbol: Symbol('mark'),
    nothing: undefined,
    run: function run() {},
    cycle,
    proxy,
    get trap(): never {
      return refuse();
    },
  };
}

function rowsOf(root: unknown, expanded: readonly string[], previous?: unknown): Map<string, TreeRow> {
  const rows = treeRows(root, 'S', { expanded: new Set(expanded), limits: new Map(), previous });
  return new Map(rows.map((row): [string, TreeRow] => [row.path, row]));
}

describe('a value in the tree', () => {
  it('a value of any kind is described, and no getter is called', () => {
    const rows = rowsOf(oddThings(), ['S', 'S.map', 'S.set'], oddThings());
    const texts = Object.fromEntries([...rows].map(([path, row]) => [path, row.textIn(english)]));
    expect(texts).toEqual({
      S: '{ map, set, date, noDate, … }',
      'S.map': 'Map (2)',
      'S.map.password': '•••',
      'S.map.object': '2',
      'S.set': 'Set (2)',
      'S.set.0': '"a"',
      'S.set.1': '"b"',
      'S.date': 'Date 1970-01-01T00:00:00.000Z',
      'S.noDate': 'Date (invalid)',
      'S.error': 'TypeError: Not this',
      'S.bigint': '10n',
      'S.symbol': 'Symbol(mark)',
      'S.nothing': 'undefined',
      'S.run': 'ƒ run()',
      'S.cycle': '{ again }',
      'S.proxy': '(cannot be read)',
      'S.trap': '(getter, not called)',
    });
  });

  it('a cyclic value can be expanded to any depth', () => {
    const path = `S.cycle${'.again'.repeat(20)}`;
    const expanded = Array.from({ length: 20 }, (_, depth) => `S.cycle${'.again'.repeat(depth)}`);
    expect(
      rowsOf(oddThings(), ['S', ...expanded])
        .get(path)
        ?.textIn(english),
    ).toBe('{ again }');
  });

  it('a search covers values of any kind', () => {
    expect(searchTree(oddThings(), 'S', 'mark', { texts: english }).map(({ path }) => path)).toEqual([
      'S.symbol',
    ]);
    expect(searchTree(oddThings(), 'S', 'hunter2', { texts: english })).toEqual([]);
  });

  it('the rows of 100,000 values read few values each, and a row is described only when it is drawn', async () => {
    const lists = Object.fromEntries(
      Array.from({ length: 1000 }, (_, list) => [
        `l${list}`,
        Array.from({ length: 100 }, () => ({ a: list, b: 'text' })),
      ]),
    );
    const expanded = new Set(['S', ...Object.keys(lists).map((name) => `S.${name}`)]);
    const limits = new Map([['S', 1000]]);
    const root = watched(lists);
    let rows: TreeRow[] = [];
    const units = await unitsOf(() => {
      rows = treeRows(root, 'S', { expanded, limits, previous: undefined });
    });
    expect(rows).toHaveLength(101_001);
    expect(units).toBeLessThan(6 * rows.length);
    expect(await unitsOf(() => rows[5000]?.textIn(english))).toBeGreaterThan(0);
  });
});
