import type { Timestamp } from '../../graph/env.ts';
import { exceeded, unlimited } from '../../graph/limits/execution-budget.ts';
import type { ExecutionBudget, Spent } from '../../graph/limits/limits.ts';
import type { StopSignal } from '../../graph/stop-signal.ts';
import { fromMillionths, toMillionths } from '../../kit/millionths.ts';
import type { CallEstimate } from '../estimate-call.ts';

/** Room that calls in flight have taken: tokens, and money in the currency of the prices. */
export type Held = { readonly tokens: number; readonly cost: number };

/** What one budget has room for: what is spent, and what the calls in flight of its agent and of those below hold. */
export type Account = {
  /** Signals of the limits of tokens and money that are reached. */
  readonly exceeded: (now: Timestamp) => StopSignal[];
  /** True when a call has room beside the others. Alone it has room for whatever it spends. */
  readonly hasRoomFor: (estimate: CallEstimate) => boolean;
  /** Takes the room; the returned function gives it back. What is not known takes all that is left. */
  readonly take: (estimate: CallEstimate) => () => void;
  readonly held: () => Held;
};

/** The account of a budget; null when it limits neither tokens nor money, so that nothing needs to be held. */
export function createAccount(budget: ExecutionBudget, spent: () => Spent): Account | null {
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
    exceeded: (now) => exceeded(limited, spent(), now),
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

/** Never less than the amount; the subtraction keeps a rounding error of the product from costing a millionth. */
function upToMillionths(amount: number): number {
  return Math.ceil(amount * 1_000_000 - 1e-6);
}
