import type { ModelPrice } from '@vitrine/react';
import type { Limits } from '../agents/agent-options.ts';

export type Theme = 'system' | 'light' | 'dark';
/** Where sessions are kept. */
export type Place = 'local-storage' | 'indexed-db';

/** What a person has set on this page; kept in the browser. */
export type Settings = {
  readonly theme: Theme;
  readonly place: Place;
  readonly limits: Limits;
  /** Prices that the person has given, by model id. */
  readonly prices: { readonly [model: string]: ModelPrice };
  /** The agent that new sessions begin with. */
  readonly agent: string | null;
  /** How many steps of the guide are done; null when it was dismissed, or has ended. */
  readonly guide: number | null;
};

/** What holds until something is set. */
export const defaultSettings: Settings = {
  theme: 'system',
  place: 'local-storage',
  limits: { maxSteps: 12, maxTokens: 200_000, maxSeconds: 300, maxCost: null },
  prices: {},
  agent: null,
  guide: 0,
};

/** Where they are kept; `public/theme.js` reads the theme there before the page is drawn. */
export const settingsKey = 'vitrine-demo:settings';

/** What was kept, as far as it is right. */
export function readSettings(): Settings {
  try {
    return checked(JSON.parse(localStorage.getItem(settingsKey) ?? '{}') as Unchecked);
  } catch {
    return defaultSettings;
  }
}

/** Keeps them, where the browser lets it. */
export function keepSettings(settings: Settings): void {
  try {
    localStorage.setItem(settingsKey, JSON.stringify(settings));
  } catch {
    // Not remembered then.
  }
}

type Unchecked = { readonly [Key in keyof Settings]?: unknown };

/** By hand: the page begins with it, and needs no library before. */
function checked({ theme, place, limits, prices, agent, guide }: Unchecked): Settings {
  return {
    theme: theme === 'light' || theme === 'dark' ? theme : defaultSettings.theme,
    place: place === 'indexed-db' ? place : defaultSettings.place,
    limits: mapped(defaultSettings.limits, limits, (value) => value === null || isAmount(value)),
    prices: isPrices(prices) ? prices : defaultSettings.prices,
    agent: typeof agent === 'string' ? agent : defaultSettings.agent,
    guide: guide === null || Number.isSafeInteger(guide) ? (guide as number | null) : defaultSettings.guide,
  };
}

/** The values that are kept and right, and the default for others. */
function mapped<Values extends object>(
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
