import { activeMs } from '../active-ms.ts';
import type { Timestamp } from '../env.ts';
import type { AgentState } from '../types.ts';
import { hasUnknownCost, usageOfExecution } from '../usage-of-execution.ts';
import { type AmountKey, limits, type Spent } from './limits.ts';

/** The spending of each limit. */
const spending: { readonly [Key in AmountKey]: (state: AgentState, now: Timestamp) => number } = {
  maxSteps: ({ execution }) => execution?.stepExecutions.length ?? 0,
  maxTokens: ({ execution }) => (execution === null ? 0 : usageOfExecution(execution).totalTokens),
  maxSeconds: (state, now) => activeMs(state, now) / 1000,
  maxCost: ({ execution }) => (execution === null ? 0 : (usageOfExecution(execution).cost ?? 0)),
};

/** The spending of an execution until `now`: the one definition for the loop, the hooks, the panel and the ledger. */
export function spentOf(state: AgentState, now: Timestamp): Spent {
  const spent: Record<string, number | boolean> = { hasUnknownCost: hasUnknownCost(state) };
  for (const { key, measure } of limits) if (key !== 'deadline') spent[measure] = spending[key](state, now);
  return spent as Spent;
}
