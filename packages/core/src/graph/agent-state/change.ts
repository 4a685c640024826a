import { freeze } from '../../kit/freeze.ts';
import { sharedLength } from '../../kit/grown-list.ts';
import type { Env } from '../env.ts';
import { pending } from '../execution-state.ts';
import { type MessageStore, section } from '../message-store.ts';
import type { Message } from '../message.ts';
import { retained } from '../retained.ts';
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

/** Replaces the store. Steps keep the messages they were sent, also when those leave their section here. */
export function changeStore(state: AgentState, store: MessageStore, env: Env): AgentState {
  if (store === state.context.store) return state;
  return change(state, storeFields(state, store), env);
}

/** The fields of a state whose store is replaced. For `isGone` see `retained`. */
export function storeFields(
  state: AgentState,
  store: MessageStore,
  isGone?: (message: Message) => boolean,
): Pick<AgentState, 'context' | 'execution' | 'retained'> {
  let { execution, retained: kept } = state;
  for (const { name, messages } of state.context.store.sections) {
    const next = section(store, name);
    if (next === messages || startsWith(next, messages)) continue;
    ({ execution, retained: kept } = retained({ ...state, execution, retained: kept }, name, next, isGone));
  }
  return { context: { ...state.context, store }, execution, retained: kept };
}

function startsWith(list: readonly Message[], start: readonly Message[]): boolean {
  return sharedLength(list, start) === start.length;
}

/** Changes the execution. An idle state gets a pending one first, which counts as one more execution. */
export function changeExecution(
  state: AgentState,
  update: (execution: ExecutionState) => ExecutionState,
  env: Env,
): AgentState {
  if (state.execution !== null) return change(state, { execution: update(state.execution) }, env);
  return change(state, { execution: update(pending(env)), executionCount: state.executionCount + 1 }, env);
}
