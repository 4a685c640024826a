import type { ModelPrice } from '@vitrine/react';
import type { Limits } from '../agents/agent-options.ts';
import { readKept } from '../kit/kept.ts';

export type Theme = 'system' | 'light' | 'dark';
/** The place of the sessions. */
export type Place = 'local-storage' | 'indexed-db';

/** The settings of a person on this page, kept in the browser. */
export type Settings = {
  readonly theme: Theme;
  readonly place: Place;
  readonly limits: Limits;
  /** Prices that the person entered, by model id. */
  readonly prices: { readonly [model: string]: ModelPrice };
  /** The agent of new sessions. */
  readonly agent: string | null;
  /** Number of finished steps of the guide; null when it was dismissed or has ended. */
  readonly guide: number | null;
};

/** The limits of an answer before any change. */
export const defaultLimits: Limits = {
  maxSteps: 12,
  maxTokens: 200_000,
  maxSeconds: 300,
  maxCost: null,
};

/** The settings before any change. */
export const defaultSettings: Settings = {
  theme: 'system',
  place: 'local-storage',
  limits: defaultLimits,
  prices: {},
  agent: null,
  guide: 0,
};

/** The localStorage key; `public/theme.js` reads the theme from it before the page is drawn. */
export const settingsKey = 'vitrine-demo:settings';

/** Reads the settings; invalid ones get their defaults. Validated by hand, so that the page needs no library at first. */
export function readSettings(): Settings {
  const { theme, place, limits, prices, agent, guide } = readKept<Settings>(settingsKey);
  return {
    theme: theme === 'light' || theme === 'dark' ? theme : defaultSettings.theme,
    place: place === 'indexed-db' ? place : defaultSettings.place,
    limits: withDefaults(defaultSettings.limits, limits, (value) => value === null || isAmount(value)),
    prices: isPrices(prices) ? prices : defaultSettings.prices,
    agent: typeof agent === 'string' ? agent : defaultSettings.agent,
    guide: guide === null || Number.isSafeInteger(guide) ? (guide as number | null) : defaultSettings.guide,
  };
}

/** The valid stored values, with defaults for the others. */
function withDefaults<Values extends object>(
  defaults: Values,
  kept: unknown,
  isRight: (value: unknown) => boolean,
): Values {
  const own = Object.entries(kept ?? {}).filter(([key, value]) => key in defaults && isRight(value));
  return { ...defaults, ...Object.fromEntries(own) };
}

function isAmount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value > 0;
}

function isPrices(value: unknown): value is Settings['prices'] {
  const all = typeof value === 'object' && value !== null ? Object.values(value) : [null];
  return all.every((price: { input?: unknown; output?: unknown } | null) =>
    [price?.input, price?.output].every((amount) => amount === 0 || isAmount(amount)),
  );
}
