import type { JsonObject } from '../../kit/json.ts';
import type { AgentState, PluginStates } from '../types.ts';

/** Decisions that hold for later calls live beside plugin state, so that they are saved with the session. */
export const storageKey = 'vitrine:approvals';

/** How long a decision about a tool holds. */
export type RememberFor = 'execution' | 'session';
/** What was decided about all calls of a tool. */
export type Decision = 'approved' | 'rejected';

/** What the user has decided about all calls of a tool, for this session or this execution. */
export function rememberedDecision(state: AgentState, toolName: string): Decision | null {
  const data = state.plugins[storageKey]?.data as JsonObject | undefined;
  if (data === undefined) return null;
  // A model may be offered a tool with the name of something that every object inherits.
  const found = [state.execution?.executionId, 'session']
    .map((key) => decisionsOf(data, key))
    .find((decisions) => Object.hasOwn(decisions, toolName))?.[toolName];
  return found === 'approved' || found === 'rejected' ? found : null;
}

/** The plugins' states with a decision more. Of executions only the present one matters, so the record stays small. */
export function withRemembered(
  state: AgentState,
  toolName: string,
  decision: Decision,
  scope: RememberFor,
): PluginStates {
  const entry = state.plugins[storageKey];
  const data = (entry?.data ?? {}) as JsonObject;
  const key = scope === 'session' ? 'session' : (state.execution?.executionId ?? 'session');
  const session = decisionsOf(data, 'session');
  const decisions = { ...decisionsOf(data, key), [toolName]: decision };
  const next = { ...(Object.keys(session).length === 0 ? {} : { session }), [key]: decisions };
  return {
    ...state.plugins,
    [storageKey]: { version: 1, revision: (entry?.revision ?? 0) + 1, data: next },
  };
}

/** Plugins' states without the decisions. */
export function withoutRemembered(plugins: PluginStates): PluginStates {
  const { [storageKey]: _decisions, ...others } = plugins;
  return storageKey in plugins ? others : plugins;
}

function decisionsOf(data: JsonObject, key: string | undefined): JsonObject {
  return key !== undefined && Object.hasOwn(data, key) ? (data[key] as JsonObject) : {};
}
