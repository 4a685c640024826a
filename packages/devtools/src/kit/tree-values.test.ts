import { describe, expect, it } from 'vitest';
import { searchTree } from './search-tree.ts';
import { type TreeRow, treeRows } from './tree-rows.ts';

/** A thing of every kind that is no JSON, and some that mean harm. */
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
  it('is shown as what it is, also when it is no JSON, and no getter is called', () => {
    const rows = rowsOf(oddThings(), ['S', 'S.map', 'S.set'], oddThings());
    const texts = Object.fromEntries([...rows].map(([path, { text }]) => [path, text]));
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

  it('may hold itself, and be opened as often as one likes', () => {
    const path = `S.cycle${'.again'.repeat(20)}`;
    const expanded = Array.from({ length: 20 }, (_, depth) => `S.cycle${'.again'.repeat(depth)}`);
    expect(rowsOf(oddThings(), ['S', ...expanded]).get(path)?.text).toBe('{ again }');
  });

  it('is searched, whatever it is', () => {
    expect(searchTree(oddThings(), 'S', 'mark').map(({ path }) => path)).toEqual(['S.symbol']);
    expect(searchTree(oddThings(), 'S', 'hunter2')).toEqual([]);
  });

  it('is described when it comes into view: of 100,000 rows those that are drawn', () => {
    const lists = Object.fromEntries(
      Array.from({ length: 1000 }, (_, list) => [
        `l${list}`,
        Array.from({ length: 100 }, () => ({ a: list })),
      ]),
    );
    const expanded = new Set(['S', ...Object.keys(lists).map((name) => `S.${name}`)]);
    const limits = new Map([['S', 1000]]);
    const begin = performance.now();
    const rows = treeRows(lists, 'S', { expanded, limits, previous: undefined });
    const took = performance.now() - begin;
    expect(rows).toHaveLength(101_001);
    expect(Object.hasOwn(rows[5000]!, 'text')).toBe(false);
    // A tenth of it on a machine with nothing else to do.
    expect(took).toBeLessThan(1000);
  });
});
