/** Prints rows below their heads, in columns. */
export function table(heads: readonly string[], rows: readonly (readonly (string | number)[])[]): void {
  const all = [heads, ...rows.map((row) => row.map(String))];
  const widths = heads.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  const lines = all.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  process.stdout.write(`\n${lines.join('\n')}\n`);
}
