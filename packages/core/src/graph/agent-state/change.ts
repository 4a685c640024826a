import type { Env } from '../env.ts';
import { freeze } from '../../kit/freeze.ts';
import { pending } from '../execution-state.ts';
import type { AgentContext, AgentState, ExecutionState } from '../types.ts';

/** The state with some fields replaced and `updatedAt` raised; the same state when no field really changes. */
export function change(state: AgentState, fields: Partial<AgentState>, env: Env): AgentState {
  const keys = Object.keys(fields) as (keyof AgentState)[];
  if (keys.every((key) => Object.is(state[key], fields[key]))) return state;
  // A clock that was set back must not make a state look older than its predecessor.
  return freeze({ ...state, ...fields, updatedAt: Math.max(env.now(), state.updatedAt) });
}

export function changeContext(state: AgentState, fields: Partial<AgentContext>, env: Env): AgentState {
  const keys = Object.keys(fields) as (keyof AgentContext)[];
  if (keys.every((key) => Object.is(state.context[key], fields[key]))) return state;
  return change(state, { context: { ...state.context, ...fields } }, env);
}

/** Changes the execution; an idle state gets a pending one first, which counts as one execution more. */
export function changeExecution(
  state: AgentState,
  update: (execution: ExecutionState) => ExecutionState,
  env: Env,
): AgentState {
  if (state.execution !== null) return change(state, { execution: update(state.execution) }, env);
  return change(state, { execution: update(pending(env)), executionCount: state.executionCount + 1 }, env);
}
