import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { calculate } from './calculate.ts';

describe('the calculator of arithmetic expressions', () => {
  it.each([
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['2 ^ 3 ^ 2', 512],
    ['-2 ^ 2', -4],
    ['2 * -3', -6],
    ['.5 + 1.25', 1.75],
    ['10 / 4', 2.5],
  ])('the expression %s is computed', (expression, value) => expect(calculate(expression)).toBe(value));

  it.each(['', '1 +', '(1', '1 2', 'alert(1)', '1 / 0', '2 ** 3'])(
    'the expression %j is rejected with a reason',
    (expression) => {
      expect(() => calculate(expression)).toThrow(/./);
    },
  );

  it('sums and products of integers have the value that JavaScript gives', () => {
    const operators = fc.constantFrom('+', '-', '*');
    const terms = fc.array(fc.tuple(operators, fc.integer({ min: 0, max: 999 })), { maxLength: 8 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999 }), terms, (first, rest) => {
        const expression = rest.reduce(
          (text, [operator, value]) => `${text} ${operator} ${value}`,
          String(first),
        );
        expect(calculate(expression)).toBe(Number(new Function(`return ${expression}`)()));
      }),
    );
  });
});
