import { measureSizes } from './measure-sizes.ts';

// Weighs the built packages in four bundlers and compares the sizes with their budgets.

const faults: string[] = [];
for (const { budget, bundler, bytes, limit, holdsForbidden, lacksExpected } of await measureSizes()) {
  const what = `${budget.name} (${bundler})`;
  const missed = budget.missed === undefined ? '' : ` ${budget.missed}`;
  const goal = limit > budget.goal ? `  goal ${budget.goal} B, not met.${missed}` : '';
  process.stdout.write(`${String(bytes).padStart(7)} B of ${limit} B  ${what}${goal}\n`);
  if (bytes > limit) faults.push(`${what} takes ${bytes} B gzip; its budget is ${limit} B.`);
  if (lacksExpected)
    faults.push(`${what} does not hold ${JSON.stringify(budget.holding)}, by which the panel is known.`);
  if (holdsForbidden)
    faults.push(`${what} holds ${JSON.stringify(budget.without)}, which must not be in it.`);
}
if (faults.length > 0) {
  process.stderr.write(`${faults.join('\n')}\n`);
  process.exit(1);
}
