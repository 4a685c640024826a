import { nothing } from '../../kit/memoize.ts';
import { steps as stepsOf } from '../steps-of-execution.ts';
import type { AgentState, AgentStep } from '../types.ts';

/** All steps of this execution, the one in flight last. */
export function steps(state: AgentState): readonly AgentStep[] {
  return state.execution === null ? nothing : stepsOf(state.execution);
}
