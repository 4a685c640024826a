import { gzipSync } from 'node:zlib';
import {
  type Bundle,
  type Bundler,
  type BundlerName,
  bundlers,
  type Bundlers,
  bundleWith,
} from './bundlers.ts';
import { type SizeBudget, sizeBudgets } from './size-budgets.ts';

export type Size = {
  readonly budget: SizeBudget;
  readonly bundler: BundlerName;
  readonly bytes: number;
  readonly limit: number;
  /** True when the forbidden text is in the bundle. */
  readonly holdsForbidden: boolean;
  /** True when the expected text is missing. */
  readonly lacksExpected: boolean;
};

/** Bundles the built packages as applications would and measures the result, with the bundlers that are given. */
export async function measureSizes(
  budgets: readonly SizeBudget[] = sizeBudgets,
  given: Bundlers = bundlers,
): Promise<Size[]> {
  const bundles = new Map<string, Promise<Bundle>>();
  const bundleOf = (name: BundlerName, bundler: Bundler, code: string): Promise<Bundle> => {
    const key = `${name} ${code}`;
    const bundle = bundles.get(key) ?? bundleWith(bundler, code);
    bundles.set(key, bundle);
    return bundle;
  };
  const sizes: Size[] = [];
  for (const budget of budgets) {
    for (const [name, limit] of Object.entries(budget.limits) as [BundlerName, number][]) {
      const bundler = given[name];
      if (bundler === undefined) continue;
      const bundle = await bundleOf(name, bundler, budget.code);
      const { part, without, holding } = budget;
      const bytes = await weighPart(bundle, part, (code) => bundleOf(name, bundler, code));
      const text = [...bundle.first, ...bundle.lazy].join('\n');
      const holdsForbidden = without !== undefined && text.includes(without);
      const lacksExpected = holding !== undefined && !text.includes(holding);
      sizes.push({ budget, bundler: name, bytes, limit, holdsForbidden, lacksExpected });
    }
  }
  return sizes;
}

/** The sentences that say what is wrong with a size; none when it is within its budget. */
export function faultsOf({ budget, bundler, bytes, limit, ...found }: Size): readonly string[] {
  const what = `${budget.name} (${bundler})`;
  return [
    ...(bytes > limit ? [`${what} takes ${bytes} B gzip; its budget is ${limit} B.`] : []),
    ...(found.lacksExpected
      ? [`${what} does not hold ${JSON.stringify(budget.holding)}, by which the panel is known.`]
      : []),
    ...(found.holdsForbidden
      ? [`${what} holds ${JSON.stringify(budget.without)}, which must not be in it.`]
      : []),
  ];
}

async function weighPart(
  bundle: Bundle,
  part: SizeBudget['part'],
  bundleOf: (code: string) => Promise<Bundle>,
): Promise<number> {
  if (typeof part === 'string') return weigh(bundle[part]);
  const without = (texts: readonly string[]): string[] =>
    bundle.lazy.filter((code) => !texts.some((text) => code.includes(text)));
  if ('downloads' in part) return weigh([...bundle.first, ...without(part.downloads)]);
  if ('lazyWith' in part) return weigh(bundle.lazy.filter((code) => code.includes(part.lazyWith)));
  if ('loadedWith' in part) {
    const before = [...bundle.first, ...bundle.loadedWith(part.after)];
    return weigh(bundle.loadedWith(part.loadedWith).filter((code) => !before.includes(code)));
  }
  if ('addedTo' in part) {
    const counted = [...bundle.first, ...without(part.except ?? [])];
    return weigh(counted) - weighAll(await bundleOf(part.addedTo));
  }
  // Measured as one file each, because the number of shared files that a bundler makes does not matter here.
  const { first } = await bundleOf(part.addedFirst);
  return weigh([bundle.first.join('\n')]) - weigh([first.join('\n')]);
}

const weigh = (codes: readonly string[]): number =>
  codes.reduce((sum, code) => sum + gzipSync(code, { level: 9 }).length, 0);

const weighAll = ({ first, lazy }: Bundle): number => weigh(first) + weigh(lazy);
