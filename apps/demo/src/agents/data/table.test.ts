import fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { pointsOf } from './points-of.ts';
import { numberIn, parseTable } from './table.ts';

describe('the parser of tables', () => {
  it('a column has a type if all of its cells have it', () => {
    const { columns, rows } = parseTable('day;n;mixed;word\n2026-01-02;1,200;3;a\n2026-02-03;;x;b\n\n');
    expect(columns.map(({ type }) => type)).toEqual(['date', 'number', 'text', 'text']);
    expect(rows).toHaveLength(2);
  });

  it.each([
    ['', /no table/],
    ['one\ntwo', /no table/],
    ['a,b', /no rows/],
  ])('the text %j is no table', (text, reason) => expect(() => parseTable(text)).toThrow(reason));

  it('any table is parsed as it was written', () => {
    // Whitespace at the ends of a file is not part of its cells.
    const cell = fc.string({ unit: 'grapheme-ascii', minLength: 1 }).map((text) => `x${text}x`);
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell, cell), { minLength: 1 }), (rows) => {
        const text = Papa.unparse([['a', 'b', 'c'], ...rows], { newline: '\n' });
        expect(parseTable(text).rows).toEqual(rows);
      }),
    );
  });
});

it.each([
  ['1,200', 1200],
  ['1 200.5', 1200.5],
  ['-3', -3],
  ['12%', 12],
  ['1e3', 1000],
  ['', null],
  ['1,2', null],
  ['3 apples', null],
  ['0x10', null],
])('the number in %j is %j', (cell, value) => expect(numberIn(cell)).toBe(value));

describe('the points of a chart', () => {
  const table = parseTable('who,when,n\nb,2026-02,2\na,2026-01,5\nb,2026-01,\nb,2026-03,0.1\n');
  const ask = (label: string, combine: 'sum' | 'average' | 'count'): unknown =>
    pointsOf(table, { label, value: 'N', combine }).map((point) => [point.label, point.value]);

  it('a chart has one point for each label, sorted dates, and no values for empty cells', () => {
    expect(ask('who', 'sum')).toEqual([
      ['b', 2.1],
      ['a', 5],
    ]);
    expect(ask('who', 'average')).toEqual([
      ['b', 1.05],
      ['a', 5],
    ]);
    expect(ask('who', 'count')).toEqual([
      ['b', 3],
      ['a', 1],
    ]);
    expect(ask('when', 'sum')).toEqual([
      ['2026-01', 5],
      ['2026-02', 2],
      ['2026-03', 0.1],
    ]);
  });

  it('an unknown column is rejected with the names of the known ones', () => {
    expect(() => ask('what', 'sum')).toThrow('There is no column "what"; there are "who", "when", "n".');
  });
});
