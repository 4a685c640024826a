import { AgentState, type StopSignal } from '@vitrine/core';

export type OverriddenSignal = { readonly signal: StopSignal; readonly step: number };

/** The signals that continuation requests have overridden, each with the step in which that happened. */
export function overriddenSignals(state: AgentState): readonly OverriddenSignal[] {
  const seen = new Set<StopSignal>();
  const continuations = [
    ...AgentState.stepExecutions(state).map((step) => step.continuation),
    ...(state.execution ? [state.execution.continuation] : []),
  ];
  return continuations.flatMap((continuation, index) =>
    continuation.overridden.flatMap((signal) => {
      if (seen.has(signal)) return [];
      seen.add(signal);
      return [{ signal, step: index + 1 }];
    }),
  );
}
