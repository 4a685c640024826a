import type { AgentDefinition } from '@vitrine/core/internal/agent/agent-definition';
import {
  type BudgetLine,
  fromLimits,
  lineOf,
  unlimited,
  withGrant,
} from '@vitrine/core/internal/graph/execution-budget';
import {
  amountOf,
  type ExecutionBudget,
  type LimitKey,
  limits,
  spentOf,
  sessionSpent,
} from '@vitrine/core/internal/graph/limits';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import { totalSteps } from '@vitrine/core/internal/run/decide';

/** One limit of a run with its spending. */
export type BudgetBar = BudgetLine & {
  /** The limit of a budget, or a wider one: of all agents, or of a session. */
  readonly key: LimitKey | 'maxTotalSteps' | 'sessionTokens' | 'sessionCost';
  /** The measured amount: steps, tokens, seconds or cost; it names all agents or the session where it covers them. */
  readonly measure: string;
  /** The unit, which distinguishes money from counts. */
  readonly unit: 'steps' | 'tokens' | 'seconds' | 'money';
  /** Name for people. */
  readonly label: string;
};

/**
 * The spending of a run for each limit, as of the last change of its state; then that of all agents and of the session,
 * where they are limited. The deadline is left out: nothing of it is spent. A run of an earlier version has no limits,
 * and is shown with the given ones.
 */
export function budgetBars(
  state: AgentState,
  budget: ExecutionBudget,
  agent: Pick<AgentDefinition, 'sessionBudget' | 'subagentPolicy'> | null = null,
): readonly BudgetBar[] {
  const { limits: recorded, grants } = state.execution ?? {};
  const ofRun = withGrant(
    recorded === undefined ? budget : fromLimits(({ key }) => recorded[key] ?? null),
    grants,
  );
  const spent = spentOf(state, state.updatedAt);
  const own = limits.flatMap((row): BudgetBar[] => {
    const { key, measure, unit, label } = row;
    if (unit === 'moment') return [];
    return [{ key, measure, unit, label, ...lineOf(row, ofRun[key], amountOf(row, spent, state.updatedAt)) }];
  });
  if (agent === null && recorded === undefined) return own;
  const session = sessionSpent(state);
  const beside = [
    ['maxSteps', 'maxTotalSteps', 'of all agents', agent?.subagentPolicy.maxTotalSteps, totalSteps(state)],
    ['maxTokens', 'sessionTokens', 'of the session', agent?.sessionBudget.tokens, session.tokens],
    ['maxCost', 'sessionCost', 'of the session', agent?.sessionBudget.cost, session.cost],
  ] as const;
  return [
    ...own,
    ...beside.flatMap(([name, key, whose, today, amount]): BudgetBar[] => {
      const row = limits.find((candidate) => candidate.key === name);
      const value = (recorded === undefined ? today : recorded[key]) ?? null;
      if (row === undefined || row.unit === 'moment' || value === null) return [];
      const limit = withGrant({ ...unlimited(), [name]: value }, grants)[name];
      const { measure, unit, label } = row;
      const labels = { measure: `${measure} ${whose}`, unit, label: `${label} ${whose}` };
      return [{ key, ...labels, ...lineOf(row, limit, amount) }];
    }),
  ];
}
