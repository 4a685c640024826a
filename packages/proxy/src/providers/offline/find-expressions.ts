/** Arithmetic in a text: `What is 12 * (3 + 4) and 5/2?` holds two expressions. */
export function findExpressions(text: string): string[] {
  const runs = text.match(/[\d\s.()+*/^×÷−-]+/g) ?? [];
  return runs
    .flatMap(expressionIn)
    .map((candidate) => normalize(candidate).trim())
    .filter((candidate) => /\d\s*[+*/^-]\s*[\d(]/.test(candidate) || /\)\s*[+*/^-]/.test(candidate))
    .filter(isBalanced);
}

/** The text from the first number or parenthesis of a run to the last one. */
function expressionIn(run: string): string[] {
  const start = run.search(/[\d(]/);
  let end = run.length;
  while (end > 0 && !/[\d)]/.test(run.charAt(end - 1))) end--;
  return start >= 0 && end - start > 1 ? [run.slice(start, end)] : [];
}

function normalize(expression: string): string {
  return expression.replaceAll('×', '*').replaceAll('÷', '/').replaceAll('−', '-');
}

function isBalanced(expression: string): boolean {
  let depth = 0;
  for (const character of expression) {
    if (character === '(') depth++;
    if (character === ')' && --depth < 0) return false;
  }
  return depth === 0;
}
