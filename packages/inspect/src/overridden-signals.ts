import { stepExecutions } from '@vitrine/core/internal/graph/agent-state/accessors';
import type { StopSignal } from '@vitrine/core/internal/graph/stop-signal';
import type { AgentState } from '@vitrine/core/internal/graph/types';

type OverriddenSignal = { readonly signal: StopSignal; readonly step: number };

/** The signals that continuation requests have overridden, each with the step in which that happened. */
export function overriddenSignals(state: AgentState): readonly OverriddenSignal[] {
  const executions = [...stepExecutions(state), ...(state.execution === null ? [] : [state.execution])];
  const first = new Map<StopSignal, number>();
  for (const [index, { continuation }] of executions.entries())
    for (const signal of continuation.overridden) if (!first.has(signal)) first.set(signal, index + 1);
  return [...first].map(([signal, step]) => ({ signal, step }));
}
