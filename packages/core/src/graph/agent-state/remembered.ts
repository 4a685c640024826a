import type { JsonObject } from '../../kit/json.ts';
import type { AgentState, PluginStates } from '../types.ts';

/** The key of remembered decisions, which are stored beside plugin state so that they are saved with the session. */
export const storageKey = 'vitrine:approvals';

/** Duration of a decision about a tool. */
export type RememberFor = 'execution' | 'session';
/** A decision about all calls of a tool. */
export type Decision = 'approved' | 'rejected';

/** The user's decision about all calls of a tool, for this session or this execution; null when there is none. */
export function rememberedDecision(state: AgentState, toolName: string): Decision | null {
  const data = state.plugins[storageKey]?.data as JsonObject | undefined;
  if (data === undefined) return null;
  // `hasOwn`, because a model may call a tool by the name of an inherited property.
  const found = [state.execution?.executionId, 'session']
    .map((key) => decisionsOf(data, key))
    .find((decisions) => Object.hasOwn(decisions, toolName))?.[toolName];
  return found === 'approved' || found === 'rejected' ? found : null;
}

/**
 * The plugin states with one more decision. Only decisions of the current execution are kept, so the record stays
 * small.
 */
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

/** The plugin states without the decisions. */
export function withoutRemembered(plugins: PluginStates): PluginStates {
  const { [storageKey]: _decisions, ...others } = plugins;
  return storageKey in plugins ? others : plugins;
}

function decisionsOf(data: JsonObject, key: string | undefined): JsonObject {
  return key !== undefined && Object.hasOwn(data, key) ? (data[key] as JsonObject) : {};
}
