import fc from 'fast-check';
import { expect, it } from 'vitest';
import { gist } from './gist.ts';

it.each([
  ['a text', 'a text'],
  [{ expression: '1 + 1' }, '1 + 1'],
  [{ agent: 'a', task: 'b' }, 'agent: a, task: b'],
  [[1, 2, { a: null }], '1, 2, (a: null)'],
  [null, ''],
  [' two\n\nlines ', 'two lines'],
])('the short text of %j is %j', (value, line) => expect(gist(value)).toBe(line));

it('a short text of any value is one line of at most 90 characters', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const line = gist(value);
      expect(Array.from(line).length).toBeLessThanOrEqual(90);
      expect(line).not.toMatch(/\n/);
    }),
  );
});
