import { expect, it } from 'vitest';
import { faultsOf, measureSizes } from '../../scripts/measure-sizes.ts';
import { sizeBudgets } from '../../scripts/size-budgets.ts';
import { packBundlers } from './pack-bundlers.ts';

// `npm test` weighs with Vite and esbuild. Needs the builds.

it(
  'applications that webpack and rspack bundle stay within their budgets',
  { timeout: 300_000 },
  async () => {
    const sizes = await measureSizes(sizeBudgets, packBundlers);
    expect(new Set(sizes.map(({ bundler }) => bundler))).toEqual(new Set(['webpack', 'rspack']));
    expect(sizes.flatMap(faultsOf)).toEqual([]);
  },
);
