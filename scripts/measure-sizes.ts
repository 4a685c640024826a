import { gzipSync } from 'node:zlib';
import { type Bundle, type BundlerName, bundleWith } from './bundlers.ts';
import { type SizeBudget, sizeBudgets } from './size-budgets.ts';

export type Size = {
  readonly budget: SizeBudget;
  readonly bundler: BundlerName;
  readonly bytes: number;
  readonly limit: number;
  /** Whether the text that must not be in it is. */
  readonly holdsForbidden: boolean;
  /** Whether the text that must be in it is not. */
  readonly lacksExpected: boolean;
};

/** Bundles the built packages as applications would, and weighs what comes out. */
export async function measureSizes(budgets: readonly SizeBudget[] = sizeBudgets): Promise<Size[]> {
  const bundles = new Map<string, Promise<Bundle>>();
  const bundleOf = (bundler: BundlerName, code: string): Promise<Bundle> => {
    const key = `${bundler} ${code}`;
    const bundle = bundles.get(key) ?? bundleWith(bundler, code);
    bundles.set(key, bundle);
    return bundle;
  };
  const sizes: Size[] = [];
  for (const budget of budgets) {
    for (const [bundler, limit] of Object.entries(budget.limits) as [BundlerName, number][]) {
      const bundle = await bundleOf(bundler, budget.code);
      const { part, without, holding } = budget;
      const bytes =
        typeof part === 'string'
          ? weigh(bundle[part])
          : weighAll(bundle) - weighAll(await bundleOf(bundler, part.addedTo));
      const text = [...bundle.first, ...bundle.lazy].join('\n');
      const holdsForbidden = without !== undefined && text.includes(without);
      const lacksExpected = holding !== undefined && !text.includes(holding);
      sizes.push({ budget, bundler, bytes, limit, holdsForbidden, lacksExpected });
    }
  }
  return sizes;
}

const weigh = (codes: readonly string[]): number =>
  codes.reduce((sum, code) => sum + gzipSync(code, { level: 9 }).length, 0);

const weighAll = ({ first, lazy }: Bundle): number => weigh(first) + weigh(lazy);
