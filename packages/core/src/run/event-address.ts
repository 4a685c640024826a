import type { AgentState } from '../graph/types.ts';
import type { AgentEvent } from './events.ts';
import { stateAt } from './state-at.ts';

/**
 * The agent, execution and step that an event belongs to, derived from its path and the root's state after
 * it.
 */
export type EventAddress = {
  readonly agentId: string;
  readonly parentAgentId: string | null;
  readonly executionId: string | null;
  /** Counted from 1; null outside any step. */
  readonly stepNumber: number | null;
};

/** Returns the address of an event, or null when the agent at its path is no longer present. */
export function eventAddress(event: AgentEvent, state: AgentState): EventAddress | null {
  const agent = stateAt(state, event.path);
  if (agent === null) return null;
  const { agentId, parentAgentId, execution } = agent;
  const finished = execution?.stepExecutions.length ?? 0;
  const stepNumber =
    event.type === 'step-end'
      ? finished
      : event.type === 'continuation-evaluate'
        ? event.evaluation.stepNumber
        : execution?.currentStep
          ? finished + 1
          : null;
  return { agentId, parentAgentId, executionId: execution?.executionId ?? null, stepNumber };
}
