import { type JsonObject, equalJson } from '../../kit/json.ts';
import type { AgentState, PluginStates } from '../types.ts';
import { memoize } from '../../kit/memoize.ts';
import { type Env, systemEnv } from '../env.ts';
import { isFinished } from '../execution-state.ts';
import { change } from './transitions.ts';

/** The key of remembered decisions, which are stored beside plugin state so that they are saved with the session. */
export const storageKey = 'vitrine:approvals';

/** Duration of a decision about a tool. */
export type RememberFor = 'execution' | 'session';
/** A decision about all calls of a tool. */
export type DecisionKind = 'approved' | 'rejected';

/** The user's decision about all calls of a tool, for this session or this execution; null when there is none. */
export function rememberedDecision(state: AgentState, toolName: string): DecisionKind | null {
  const data = state.plugins[storageKey]?.data as JsonObject | undefined;
  if (data === undefined) return null;
  // `hasOwn`, because a model may call a tool by the name of an inherited property.
  const found = [state.execution?.executionId, 'session']
    .map((key) => decisionsOf(data, key))
    .find((decisions) => Object.hasOwn(decisions, toolName))?.[toolName];
  return found === 'approved' || found === 'rejected' ? found : null;
}

/** The plugin states with one more decision; of executions, only the current one keeps its decisions. */
export function withRemembered(
  state: AgentState,
  toolName: string,
  decision: DecisionKind,
  scope: RememberFor,
): PluginStates {
  const entry = state.plugins[storageKey];
  const data = (entry?.data ?? {}) as JsonObject;
  const key = scope === 'session' ? 'session' : (state.execution?.executionId ?? 'session');
  const session = decisionsOf(data, 'session');
  const decisions = { ...decisionsOf(data, key), [toolName]: decision };
  const next = { ...(Object.keys(session).length === 0 ? {} : { session }), [key]: decisions };
  return { ...state.plugins, [storageKey]: { version: 1, revision: (entry?.revision ?? 0) + 1, data: next } };
}

export function withoutRemembered(plugins: PluginStates): PluginStates {
  const { [storageKey]: _decisions, ...others } = plugins;
  return storageKey in plugins ? others : plugins;
}

function decisionsOf(data: JsonObject, key: string | undefined): JsonObject {
  return key !== undefined && Object.hasOwn(data, key) ? (data[key] as JsonObject) : {};
}

/** A person's decision about all later calls of a tool. */
export type RememberedDecision = {
  readonly toolName: string;
  readonly decision: DecisionKind;
  /** Duration of the decision: the current run or the session. */
  readonly scope: RememberFor;
};

/** The decisions for later calls. The list is the same until one is added or removed, or a run ends. */
export function rememberedDecisions(state: AgentState): readonly RememberedDecision[] {
  const entry = state.plugins[storageKey];
  if (entry === undefined) return none;
  const { session, ofExecution } = listDecisions(entry.data as JsonObject);
  const isRunning = state.execution !== null && !isFinished(state.execution);
  return (isRunning ? ofExecution[state.execution.executionId] : undefined) ?? session;
}

const none: readonly RememberedDecision[] = [];

const listDecisions = memoize((data: JsonObject) => {
  type Decisions = Readonly<Record<string, DecisionKind>>;
  const { session = {}, ...executions } = data as Readonly<Record<string, Decisions>>;
  const list = (decisions: Decisions, scope: RememberFor): RememberedDecision[] =>
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
