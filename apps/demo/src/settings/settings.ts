import type { ModelPrice } from '@vitrine/react';
import * as z from 'zod/mini';
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

const limit = z.nullable(z.number().check(z.positive()));
const price = z.number().check(z.nonnegative());
const schema = z.object({
  theme: z.enum(['system', 'light', 'dark']),
  place: z.enum(['local-storage', 'indexed-db']),
  limits: z.object({ maxSteps: limit, maxTokens: limit, maxSeconds: limit, maxCost: limit }),
  prices: z.record(z.string(), z.object({ input: price, output: price })),
  agent: z.nullable(z.string()),
  guide: z.nullable(z.int().check(z.nonnegative())),
});

/** Where they are kept; `public/theme.js` reads the theme there before the page is drawn. */
export const settingsKey = 'vitrine-demo:settings';

/** What was kept, as far as it is right. */
export function readSettings(): Settings {
  try {
    const kept = JSON.parse(localStorage.getItem(settingsKey) ?? '{}') as object;
    const found = schema.safeParse({ ...defaultSettings, ...kept });
    return found.success ? found.data : defaultSettings;
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
