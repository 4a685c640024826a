import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../root.ts';
import { namedModels, packages, typesOf } from './named-models.ts';

// Writes the list prices of the proxy: for each model that a provider's package names, the price of
// `@pydantic/genai-prices` under exactly that name, or that of `price-overrides.json`, which takes precedence.

type Amount = number | { readonly base: number; readonly tiers: readonly { start: number; price: number }[] };
type Found = {
  readonly model: { readonly id: string };
  readonly model_price: { readonly [name: string]: Amount | undefined };
};
type Prices = {
  readonly calcPrice: (usage: object, name: string, options: { providerId: string }) => Found | null;
};
type Override = { readonly value: string; readonly day: string; readonly address: string };

const require = createRequire(join(root, 'tests/peers/package.json'));
const { calcPrice } = (await import(pathToFileURL(require.resolve('@pydantic/genai-prices')).href)) as Prices;
const { dependencies } = JSON.parse(readFileSync(join(root, 'tests/peers/package.json'), 'utf8')) as {
  readonly dependencies: Readonly<Record<string, string>>;
};
const overrides = JSON.parse(
  readFileSync(join(root, 'scripts/prices/price-overrides.json'), 'utf8'),
) as Readonly<Record<string, Override>>;

const fields = ['input', 'output', 'cache_read', 'cache_write', 'cache_write_1h'].map(
  (name) => `${name}_mtok`,
);

/** The price of a model as one of `VITRINE_PRICES`; null without an exact one. */
function priceText(provider: string, name: string): string | null {
  const found = calcPrice({ input_tokens: 1, output_tokens: 1 }, name, { providerId: provider });
  if (found === null || found.model.id !== name) return null;
  const known = fields.slice(0, fields.findLastIndex((field) => found.model_price[field] !== undefined) + 1);
  const amounts = known.map((field) => found.model_price[field] ?? found.model_price['input_mtok'] ?? 0);
  const tiers = amounts.flatMap((amount) => (typeof amount === 'number' ? [] : amount.tiers));
  const [start] = new Set(tiers.map((tier) => tier.start));
  if (start === undefined) return amounts.join('/');
  const tierOf = (amount: Amount): number =>
    typeof amount === 'number'
      ? amount
      : (amount.tiers.find((tier) => tier.start === start)?.price ?? amount.base);
  const base = amounts.map((amount) => (typeof amount === 'number' ? amount : amount.base));
  return `${base.join('/')}>${start}:${amounts.map(tierOf).join('/')}`;
}

const lines = (Object.keys(packages) as (keyof typeof packages)[]).flatMap((provider) =>
  namedModels(typesOf(provider)).flatMap(({ name }) => {
    const text = overrides[`${provider}:${name}`]?.value ?? priceText(provider, name);
    return text === null ? [] : [`${provider}:${name}=${text}`];
  }),
);
const listed = new Set(lines.map((line) => line.split('=')[0]));
const unused = Object.keys(overrides).filter((id) => !listed.has(id));
if (unused.length > 0) throw new Error(`No package names ${unused.join(', ')}. Remove their overrides.`);

const sources = [
  `https://github.com/pydantic/genai-prices (${dependencies['@pydantic/genai-prices'] ?? ''})`,
  ...new Set(Object.values(overrides).map(({ address }) => address)),
].sort();
writeFileSync(
  join(root, 'packages/proxy/src/providers/listed-prices.ts'),
  `// Written by \`npm run prices\`. Corrections belong into scripts/prices/price-overrides.json.

/** The day on which the list was written. */
export const day = '${new Date().toISOString().slice(0, 10)}';

/** The places of the figures. */
export const sources: readonly string[] = [
${sources.map((source) => `  '${source}',`).join('\n')}
];

/** Prices in the form of \`VITRINE_PRICES\`, one model in each line. */
export const lines = \`
${lines.join('\n')}
\`;
`,
);
console.log(`${lines.length} prices were written.`);
