import { type Figure, type Goal, goals, isMet } from './goals.ts';

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? NaN)
    : ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2;
}

/** The value below which a share of the values lies. */
export function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? Number.NaN;
}

export type Table = {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
};

/** A table in Markdown. */
export function formatTable({ title, head, rows }: Table): string {
  const widths = head.map((cell, index) =>
    Math.max(cell.length, ...rows.map((row) => row[index]?.length ?? 0)),
  );
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |`;
  const lines = [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)];
  return `\n${title}\n\n${lines.join('\n')}\n`;
}

/** All figures beside their goals, and the exit code: 1 when a goal is missed. */
export function judge(figures: readonly Figure[]): { text: string; exitCode: 0 | 1 } {
  const rows = figures.map((figure) => {
    const goal: Goal = goals[figure.goal];
    return [
      isMet(figure) ? 'met' : 'MISSED',
      goal.what,
      figure.of,
      amount(figure.value, goal),
      amount(goal.atMost, goal),
    ];
  });
  const missed = figures.filter((figure) => !isMet(figure)).length;
  const table = formatTable({ title: 'Goals', head: ['', 'figure', 'of', 'measured', 'at most'], rows });
  const verdict =
    missed === 0
      ? `All ${figures.length} goals are met.`
      : `${missed} of ${figures.length} goals are missed.`;
  return { text: `${table}\n${verdict}\n`, exitCode: missed === 0 ? 0 : 1 };
}

function amount(value: number, { unit }: Goal): string {
  if (Number.isNaN(value)) return 'not measured';
  const digits = unit === '' || unit === 'B' ? 0 : unit === 'us' ? 3 : 2;
  return `${value.toFixed(digits)}${unit === '' ? '' : ` ${unit}`}`;
}
