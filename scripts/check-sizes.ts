import { faultsOf, measureSizes } from './measure-sizes.ts';

// Weighs the built packages in Vite and esbuild and compares the sizes with their budgets; tests/peers has webpack and rspack.

const sizes = await measureSizes();
for (const { budget, bundler, bytes, limit } of sizes) {
  const missed = budget.missed === undefined ? '' : ` ${budget.missed}`;
  const goal = limit > budget.goal ? `  goal ${budget.goal} B, not met.${missed}` : '';
  process.stdout.write(`${String(bytes).padStart(7)} B of ${limit} B  ${budget.name} (${bundler})${goal}\n`);
}
const faults = sizes.flatMap(faultsOf);
if (faults.length > 0) {
  process.stderr.write(`${faults.join('\n')}\n`);
  process.exit(1);
}
