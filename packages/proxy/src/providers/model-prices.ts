import type { ModelPrice } from '@vitrine/core';
import { day, lines, sources } from './listed-prices.ts';
import { readPrice } from './prices-from-env.ts';

/** Prices of models with their origin. Copy what you need, or give prices of your own. */
export type PriceTable = {
  /** The day of the figures, as `2026-08-05`. */
  readonly day: string;
  /** The places of the figures. */
  readonly sources: readonly string[];
  /** US dollars per million tokens by `provider:model`. */
  readonly prices: Readonly<Record<string, ModelPrice>>;
};

/** List prices of the models that the providers' packages name. `VITRINE_PRICES` and `price` of a model win. */
export const modelPrices: PriceTable = {
  day,
  sources,
  prices: Object.fromEntries(
    lines
      .split('\n')
      .map(readPrice)
      .filter((entry) => entry !== null),
  ),
};

/** The listed price of a model, also under a name with the day of a version; undefined when it is not listed. */
export function listedPrice(id: string): ModelPrice | undefined {
  const { prices } = modelPrices;
  const name = id.replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, '');
  return Object.hasOwn(prices, name) ? prices[name] : undefined;
}
