import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openPages, type Pages, pages, topOf } from './pages.ts';
import { leaf, type Row } from './row.ts';
import { createRowReader } from './row-reader.ts';

/** The texts of all rows below the given ones, by name. */
function textsBelow(rows: readonly Row[], texts = new Map<string, string>()): Map<string, string> {
  for (const { name, text, refs } of rows) {
    texts.set(name, text ?? '');
    textsBelow(refs, texts);
  }
  return texts;
}

it('pages return every list unchanged, whatever list came before, with the same rows as pages made at once', () => {
  const rows = Array.from({ length: 400 }, (_, index) => leaf('msg', index));
  const list = fc.tuple(
    fc.integer({ min: 0, max: 40_000 }),
    fc.integer({ min: 0, max: 399 }),
    fc.nat(40_000),
  );
  fc.assert(
    fc.property(fc.array(list, { minLength: 1, maxLength: 4 }), (lists) => {
      let before: Pages<Row> | undefined;
      for (const [length, other, at] of lists) {
        const wanted = Array.from(
          { length },
          (_, index) => rows[(index === at ? other : index) % 400] as Row,
        );
        before = pages(wanted, (row) => row, before);
        const top = topOf(before);
        expect(top.length).toBeLessThanOrEqual(128);
        expect(top.map(({ name }) => name)).toEqual(
          topOf(pages(wanted, (row) => row, undefined)).map(({ name }) => name),
        );
        const read = openPages(top, createRowReader(textsBelow(top)));
        expect(read.list.map(({ name }) => name)).toEqual(wanted.map(({ name }) => name));
        expect([read.rows.length, read.above === null]).toEqual([before.rows.length, before.above === null]);
      }
    }),
    { numRuns: 10 },
  );
});
