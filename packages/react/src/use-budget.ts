import { type BudgetView, sessionSelectors } from '@vitrine/core';
import { useSessionEntryContext } from './agent-context.ts';
import { useSnapshot } from './use-snapshot.ts';

/** Spent, limit and left, per limit. */
export function useBudget(): BudgetView {
  return useSnapshot(useSessionEntryContext('useBudget'), sessionSelectors.budget);
}
