/**
 * Calculates an arithmetic expression with + - * / ^, parentheses and decimals.
 * @throws Error that says what is wrong and where.
 */
export function calculate(expression: string): number {
  const tokens = tokenize(expression);
  let at = 0;

  const peek = (): string | undefined => tokens[at];
  const take = (): string | undefined => tokens[at++];

  function sum(): number {
    let value = product();
    while (peek() === '+' || peek() === '-') value = take() === '+' ? value + product() : value - product();
    return value;
  }
  function product(): number {
    let value = sign();
    while (peek() === '*' || peek() === '/') value = take() === '*' ? value * sign() : divide(value, sign());
    return value;
  }
  function sign(): number {
    if (peek() === '-') {
      take();
      return -sign();
    }
    if (peek() === '+') {
      take();
      return sign();
    }
    return power();
  }
  function power(): number {
    const base = atom();
    if (peek() !== '^') return base;
    take();
    // Right-associative, and binds tighter than a leading sign: -2^2 is -4.
    return base ** sign();
  }
  function atom(): number {
    const token = take();
    if (token === '(') {
      const value = sum();
      if (take() !== ')') throw new Error(`A ")" is missing in ${JSON.stringify(expression)}.`);
      return value;
    }
    const value = token === undefined ? NaN : Number(token);
    if (Number.isNaN(value))
      throw new Error(`Expected a number in ${JSON.stringify(expression)}, found ${token ?? 'its end'}.`);
    return value;
  }

  const value = sum();
  if (at < tokens.length)
    throw new Error(`Unexpected ${JSON.stringify(tokens[at])} in ${JSON.stringify(expression)}.`);
  return value;
}

function divide(a: number, b: number): number {
  if (b === 0) throw new Error('Division by zero.');
  return a / b;
}

function tokenize(expression: string): string[] {
  const tokens = expression.match(/\d+(?:\.\d+)?|\.\d+|[-+*/^()]|\S/g) ?? [];
  const strange = tokens.find((token) => !/^(?:\d+(?:\.\d+)?|\.\d+|[-+*/^()])$/.test(token));
  if (strange !== undefined)
    throw new Error(`Cannot calculate with ${JSON.stringify(strange)}; use numbers and + - * / ^ ( ).`);
  // The parser is recursive, so this also bounds its depth.
  if (tokens.length > 1000) throw new Error('The expression is too long.');
  return tokens;
}
