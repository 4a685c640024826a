/** Arithmetic in a text: `What is 12 * (3 + 4) and 5/2?` holds two expressions. */
export function findExpressions(text: string): string[] {
  const candidates = text.match(/[\d(][\d\s.()+*/^×÷−-]*[\d)]/g) ?? [];
  return candidates
    .map((candidate) => normalize(candidate).trim())
    .filter((candidate) => /\d\s*[+*/^-]\s*[\d(]/.test(candidate) || /\)\s*[+*/^-]/.test(candidate))
    .filter(isBalanced);
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
