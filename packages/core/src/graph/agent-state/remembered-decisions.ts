import { equalJson, type JsonObject } from '../../kit/json.ts';
import { memoize } from '../../kit/memoize.ts';
import { type Env, systemEnv } from '../env.ts';
import { isFinished } from '../execution-state.ts';
import type { AgentState } from '../types.ts';
import { change } from './change.ts';
import { type Decision, type RememberFor, storageKey, withoutRemembered } from './remembered.ts';

/** A person's decision about all later calls of a tool. */
export type RememberedDecision = {
  readonly toolName: string;
  readonly decision: Decision;
  /** Duration of the decision: the current run or the session. */
  readonly scope: RememberFor;
};

/**
 * The decisions that apply to later calls without a question. The list stays the same until a decision is added or
 * removed, or a run ends.
 */
export function rememberedDecisions(state: AgentState): readonly RememberedDecision[] {
  const entry = state.plugins[storageKey];
  if (entry === undefined) return none;
  const { session, ofExecution } = listed(entry.data as JsonObject);
  const isRunning = state.execution !== null && !isFinished(state.execution);
  return (isRunning ? ofExecution[state.execution.executionId] : undefined) ?? session;
}

const none: readonly RememberedDecision[] = [];

const listed = memoize((data: JsonObject) => {
  const { session = {}, ...executions } = data as Readonly<
    Record<string, Readonly<Record<string, Decision>>>
  >;
  const list = (decisions: Readonly<Record<string, Decision>>, scope: RememberFor): RememberedDecision[] =>
    Object.entries(decisions).map(([toolName, decision]) => ({ toolName, decision, scope }));
  const lasting = list(session, 'session');
  const together = Object.entries(executions).map(([executionId, decisions]) => {
    const others = lasting.filter(({ toolName }) => !Object.hasOwn(decisions, toolName));
    return [executionId, [...list(decisions, 'execution'), ...others]] as const;
  });
  return { session: lasting, ofExecution: Object.fromEntries(together) };
});

/** Removes the decisions about a tool, or about all tools when none is named. The person is asked again. */
export function withoutDecisions(state: AgentState, toolName?: string, env: Env = systemEnv): AgentState {
  const entry = state.plugins[storageKey];
  if (entry === undefined) return state;
  const kept = Object.entries(entry.data as JsonObject).flatMap(([key, decisions]) => {
    const others = Object.entries(decisions as JsonObject).filter(
      ([name]) => toolName !== undefined && name !== toolName,
    );
    return others.length > 0 ? [[key, Object.fromEntries(others)] as const] : [];
  });
  const data = Object.fromEntries(kept);
  if (equalJson(data, entry.data)) return state;
  const plugins =
    kept.length === 0
      ? withoutRemembered(state.plugins)
      : { ...state.plugins, [storageKey]: { ...entry, revision: entry.revision + 1, data } };
  return change(state, { plugins }, env);
}
