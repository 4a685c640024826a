import { AgentError } from '../kit/agent-error.ts';
import { equalJson } from '../kit/equal-json.ts';
import { textOf } from '../kit/text-of.ts';
import { toJson, toJsonObject } from '../kit/to-json.ts';
import type { JsonObject, JsonValue } from '../kit/json.ts';
import { type Env, systemEnv } from '../graph/env.ts';
import { section } from '../graph/message-store.ts';
import { checkedError, checkedLlmConfig, checkedResponseFormat, checkedSignal } from './checked-change.ts';
import { sectionChange } from './section-change.ts';
import type { AgentState } from '../graph/types.ts';
import type { AgentEventBody } from './events.ts';

/**
 * What a hook, tool or application changed, as events: the difference between the state that it was given and the one
 * that it returned, found by comparing references, by key and by id. Applied to the state of the moment they undo
 * nothing that others did meanwhile. The execution belongs to the loop, apart from signals, continuation and errors.
 */
export function stateChanges(
  before: AgentState,
  after: AgentState,
  source: string | null,
  env: Env = systemEnv,
): AgentEventBody[] {
  if (before === after) return [];
  return [
    ...contextChanges(before, after, source),
    ...metadataChanges(before.context.metadata, after.context.metadata, source),
    ...storeChanges(before, after, source, env),
    ...pluginChanges(before, after, source),
    ...executionChanges(before, after, source, env),
  ];
}

function contextChanges(before: AgentState, after: AgentState, source: string | null): AgentEventBody[] {
  const { systemPrompt, responseFormat } = after.context;
  const fields = {
    ...(systemPrompt === before.context.systemPrompt ? {} : { systemPrompt: textOf(systemPrompt) }),
    ...(responseFormat === before.context.responseFormat
      ? {}
      : { responseFormat: checkedResponseFormat(responseFormat) }),
    ...(after.llmConfig === before.llmConfig ? {} : { llmConfig: checkedLlmConfig(after.llmConfig) }),
  };
  return Object.keys(fields).length === 0 ? [] : [{ type: 'context-change', source, ...fields }];
}

function metadataChanges(before: JsonObject, after: JsonObject, source: string | null): AgentEventBody[] {
  if (before === after) return [];
  const changed = Object.entries(after).filter(([key, value]) => !Object.is(before[key], value));
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  if (changed.length === 0 && removed.length === 0) return [];
  return [{ type: 'metadata-change', source, set: toJsonObject(Object.fromEntries(changed)), removed }];
}

function storeChanges(
  before: AgentState,
  after: AgentState,
  source: string | null,
  env: Env,
): AgentEventBody[] {
  if (before.context.store === after.context.store) return [];
  const names = [...after.context.store.sections, ...before.context.store.sections].map(({ name }) => name);
  return [...new Set(names)].flatMap((name) => {
    if (typeof name !== 'string')
      throw new AgentError('hook-contract', 'A section of messages was given a name that is no text.');
    const [old, next] = [section(before.context.store, name), section(after.context.store, name)];
    const change = sectionChange(old, next, env);
    return change === null ? [] : [{ type: 'section-change' as const, source, name, ...change }];
  });
}

function pluginChanges(before: AgentState, after: AgentState, source: string | null): AgentEventBody[] {
  if (before.plugins === after.plugins) return [];
  const written = Object.entries(after.plugins).flatMap(([pluginId, entry]): AgentEventBody[] => {
    const old = Object.hasOwn(before.plugins, pluginId) ? before.plugins[pluginId] : undefined;
    if (entry === old) return [];
    const { version, data } = entry;
    // Hooks have `PluginState.set`; what they make by hand has the first version when it has none.
    const known = Number.isSafeInteger(version) && version > 0 ? version : 1;
    return [{ type: 'plugin-change', source, pluginId, version: known, data: toJson(data) }];
  });
  const forgotten = Object.keys(before.plugins).flatMap((pluginId): AgentEventBody[] =>
    Object.hasOwn(after.plugins, pluginId)
      ? []
      : [{ type: 'plugin-change', source, pluginId, version: 0, data: null, isForgotten: true }],
  );
  return [...written, ...forgotten];
}

function executionChanges(
  before: AgentState,
  after: AgentState,
  source: string | null,
  env: Env,
): AgentEventBody[] {
  const [old, next] = [before.execution, after.execution];
  if (old === next || next === null) return [];
  const { executionId } = next;
  const oldSignals = old?.continuation.stopSignals ?? [];
  const signals = next.continuation.stopSignals
    .filter((signal) => !oldSignals.some((other) => isSame(other, signal)))
    .map((signal): AgentEventBody => ({
      type: 'stop-signal',
      signal: checkedSignal(signal, env),
      executionId,
    }));
  const oldErrors = [...(old?.errors ?? []), ...(old?.currentStep?.errors ?? [])];
  const errors = [...next.errors, ...(next.currentStep?.errors ?? [])]
    .filter((error) => !oldErrors.some((other) => isSame(other, error)))
    .flatMap((raw): AgentEventBody[] => {
      const error = checkedError(raw);
      return error === null ? [] : [{ type: 'error-record', error, executionId }];
    });
  const isRequested =
    next.continuation.isContinuationRequested && !(old?.continuation.isContinuationRequested ?? false);
  return [
    ...errors,
    ...signals,
    ...(isRequested ? [{ type: 'continuation-request' as const, source, executionId }] : []),
  ];
}

function isSame(a: object, b: object): boolean {
  return a === b || equalJson(a as JsonValue, b as JsonValue);
}

/** True for something that has the shape of a state. */
export function isAgentState(value: unknown): value is AgentState {
  const state = value as Partial<AgentState> | null;
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof state?.agentId === 'string' &&
    Array.isArray(state.context?.store?.sections) &&
    typeof state.plugins === 'object' &&
    'execution' in value
  );
}
