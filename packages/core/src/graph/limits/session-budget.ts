import type { LimitKey } from './limits.ts';

/** Limits of all runs of a session together; null is unlimited. */
export type SessionBudget = {
  /** Input and output tokens, subagents included. */
  readonly tokens: number | null;
  /** Money in the currency of the prices, subagents included. */
  readonly cost: number | null;
};

/** The limit of an execution with the same measure. */
export const sessionLimits = {
  tokens: 'maxTokens',
  cost: 'maxCost',
} as const satisfies { readonly [Key in keyof SessionBudget]: LimitKey };
