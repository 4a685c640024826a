import type { Timestamp } from '../../graph/env.ts';
import { type BudgetSource, exceededOf, refusals, unlimited } from '../../graph/execution-budget.ts';
import type { ExecutionBudget, Spent } from '../../graph/limits.ts';
import type { StopSignal } from '../../graph/stop-signal.ts';
import { fromMillionths, toMillionths } from '../../kit/millionths.ts';
import type { CallEstimate } from '../estimate-call.ts';

/** Tokens and money that calls in flight have reserved, in the currency of the prices. */
export type Held = { readonly tokens: number; readonly cost: number };

/** The spending of one budget, and the room that calls in flight hold in it, subagents included. */
export type Account = {
  /** The signals of the reached limits of tokens and money. */
  readonly exceeded: (now: Timestamp) => StopSignal[];
  /** The signals of the limits whose rest is below the lower estimate of a call. */
  readonly refused: (estimate: CallEstimate, now: Timestamp) => StopSignal[];
  /** True when a call has room beside the others. A call that runs alone always has room. */
  readonly hasRoomFor: (estimate: CallEstimate) => boolean;
  /** Reserves room and returns the function that releases it. An unknown size reserves all that is left. */
  readonly take: (estimate: CallEstimate) => () => void;
  readonly held: () => Held;
};

/** Creates the account of a budget; null when the budget limits neither tokens nor money. */
export function createAccount(
  budget: ExecutionBudget,
  spent: () => Spent,
  source: BudgetSource = 'budget',
): Account | null {
  const { maxTokens, maxCost } = budget;
  if (maxTokens === null && maxCost === null) return null;
  const limited: ExecutionBudget = { ...unlimited(), maxTokens, maxCost };
  let calls = 0;
  let tokens = 0;
  let millionths = 0;

  function roomFor(): { tokens: number; millionths: number } {
    const now = spent();
    return {
      tokens: (maxTokens ?? Infinity) - now.tokens - tokens,
      millionths: (maxCost === null ? Infinity : toMillionths(maxCost)) - toMillionths(now.cost) - millionths,
    };
  }

  return {
    exceeded: (now) => exceededOf(source, limited, spent(), now),
    refused: ({ least }, now) => (least === undefined ? [] : refusals(source, limited, spent(), least, now)),
    hasRoomFor(estimate) {
      if (calls === 0) return true;
      const room = roomFor();
      const hasTokens = maxTokens === null || (estimate.tokens ?? Infinity) <= room.tokens;
      return hasTokens && (maxCost === null || upToMillionths(estimate.cost ?? Infinity) <= room.millionths);
    },
    take(estimate) {
      const room = roomFor();
      const taken = {
        tokens: maxTokens === null ? 0 : (estimate.tokens ?? Math.max(0, room.tokens)),
        millionths:
          maxCost === null
            ? 0
            : estimate.cost === null
              ? Math.max(0, room.millionths)
              : upToMillionths(estimate.cost),
      };
      calls += 1;
      tokens += taken.tokens;
      millionths += taken.millionths;
      return () => {
        calls -= 1;
        tokens -= taken.tokens;
        millionths -= taken.millionths;
      };
    },
    held: () => ({ tokens, cost: fromMillionths(millionths) }),
  };
}

/**
 * Rounds an amount up to millionths; the subtraction keeps a rounding error of a product from adding one.
 */
function upToMillionths(amount: number): number {
  return Math.ceil(amount * 1_000_000 - 1e-6);
}
