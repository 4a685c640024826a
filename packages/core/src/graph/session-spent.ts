import { fromMillionths, toMillionths } from '../kit/millionths.ts';
import type { AgentState, SpentBefore } from './types.ts';
import { hasUnknownCost, usageOfExecution } from './usage-of-execution.ts';

const nothingSpent: SpentBefore = { tokens: 0, cost: 0, hasUnknownCost: false };

/** The spending of a session in all its runs, the current one included. */
export function sessionSpent(state: AgentState): SpentBefore {
  const before = state.spentBefore ?? nothingSpent;
  const own = executionSpent(state);
  return {
    tokens: before.tokens + own.tokens,
    cost: fromMillionths(toMillionths(before.cost) + toMillionths(own.cost)),
    hasUnknownCost: before.hasUnknownCost || own.hasUnknownCost,
  };
}

/** The earlier spending of a state that loses its execution; null for none. */
export function spentWithoutExecution(state: AgentState): SpentBefore | null {
  return state.execution === null ? (state.spentBefore ?? null) : orNull(sessionSpent(state));
}

/** The state that replaces another one in a session, with all earlier spending kept. */
export function withSpentOf(before: AgentState, after: AgentState): AgentState {
  const [spent, own] = [sessionSpent(before), executionSpent(after)];
  const known = after.spentBefore ?? nothingSpent;
  const spentBefore = orNull({
    tokens: Math.max(known.tokens, spent.tokens - own.tokens),
    cost: Math.max(known.cost, fromMillionths(toMillionths(spent.cost) - toMillionths(own.cost))),
    hasUnknownCost: known.hasUnknownCost || (spent.hasUnknownCost && !own.hasUnknownCost),
  });
  const isSame =
    (spentBefore === null && !after.spentBefore) ||
    (spentBefore?.tokens === known.tokens &&
      spentBefore.cost === known.cost &&
      spentBefore.hasUnknownCost === known.hasUnknownCost);
  return isSame ? after : { ...after, spentBefore };
}

function executionSpent(state: AgentState): SpentBefore {
  if (state.execution === null) return nothingSpent;
  const { totalTokens, cost } = usageOfExecution(state.execution);
  return { tokens: totalTokens, cost: cost ?? 0, hasUnknownCost: hasUnknownCost(state) };
}

function orNull(spent: SpentBefore): SpentBefore | null {
  return spent.tokens === 0 && spent.cost === 0 && !spent.hasUnknownCost ? null : spent;
}
