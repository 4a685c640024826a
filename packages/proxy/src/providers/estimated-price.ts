import type { ModelPrice } from '@vitrine/core';
import { modelPrices } from './model-prices.ts';

/** The parts of an id: its provider with the brand, and its words with numbers. */
const parts = /^([a-z-]+:(?:claude|gpt|gemini|o(?=\d)))-?(.*)$/;

type Family = { readonly brand: string; readonly words: string; readonly version: string };

/** The newest listed model of a family, as `anthropic:claude-sonnet-5-5` for `anthropic:sonnet`; else the id itself. */
export function resolvedId(id: string): string {
  const [provider = '', word = ''] = id.split(':');
  // The list begins with the newest.
  const found = Object.keys(modelPrices.prices).find(
    (listed) => listed.startsWith(`${provider}:`) && familyOf(listed)?.words === word,
  );
  return word === '' ? id : (found ?? id);
}

function familyOf(id: string): Family | null {
  const [, brand, rest = ''] = parts.exec(id) ?? [];
  if (brand === undefined) return null;
  const words = rest.split('-').filter((word) => !/\d/.test(word));
  return { brand, words: words.join('-'), version: /\d+(?:[.-]\d{1,2}(?!\d))?/.exec(rest)?.[0] ?? '' };
}

/**
 * An estimate for a model that is not listed: the newest listed price of its family, which has the same words in its
 * name, or else the highest of its provider's newest version. Undefined for a name of an unknown kind.
 */
export function estimatedPrice(id: string): ModelPrice | undefined {
  const asked = familyOf(id);
  // The list begins with the newest.
  const known = Object.entries(modelPrices.prices)
    .map(([name, price]) => ({ ...familyOf(name), price }))
    .filter(({ brand }) => brand === asked?.brand);
  const [newest] = known
    .filter(({ version }) => version === known[0]?.version)
    .sort((a, b) => b.price.output - a.price.output);
  const found = known.find(({ words }) => words === asked?.words) ?? newest;
  return asked === null ? undefined : found && { ...found.price, isEstimated: true };
}
