import { equalJson } from '../kit/equal-json.ts';
import type { JsonObject, JsonValue } from '../kit/json.ts';
import { section } from '../graph/message-store.ts';
import type { Message } from '../graph/message.ts';
import type { AgentState } from '../graph/types.ts';
import type { AgentEventBody } from './events.ts';

/**
 * What a hook, tool or application changed, as events: the difference between the state that it was given and the one
 * that it returned, found by comparing references, by key and by id. Applied to the state of the moment they undo
 * nothing that others did meanwhile. The execution belongs to the loop, apart from signals, continuation and errors.
 */
export function stateChanges(before: AgentState, after: AgentState, source: string | null): AgentEventBody[] {
  if (before === after) return [];
  return [
    ...contextChanges(before, after, source),
    ...metadataChanges(before.context.metadata, after.context.metadata, source),
    ...storeChanges(before, after, source),
    ...pluginChanges(before, after, source),
    ...executionChanges(before, after, source),
  ];
}

function contextChanges(before: AgentState, after: AgentState, source: string | null): AgentEventBody[] {
  const { systemPrompt, responseFormat } = after.context;
  const fields = {
    ...(systemPrompt === before.context.systemPrompt ? {} : { systemPrompt }),
    ...(responseFormat === before.context.responseFormat ? {} : { responseFormat }),
    ...(after.llmConfig === before.llmConfig ? {} : { llmConfig: after.llmConfig }),
  };
  return Object.keys(fields).length === 0 ? [] : [{ type: 'context-change', source, ...fields }];
}

function metadataChanges(before: JsonObject, after: JsonObject, source: string | null): AgentEventBody[] {
  if (before === after) return [];
  const changed = Object.entries(after).filter(([key, value]) => !Object.is(before[key], value));
  const removed = Object.keys(before).filter((key) => !Object.hasOwn(after, key));
  if (changed.length === 0 && removed.length === 0) return [];
  return [{ type: 'metadata-change', source, set: Object.fromEntries(changed), removed }];
}

function storeChanges(before: AgentState, after: AgentState, source: string | null): AgentEventBody[] {
  if (before.context.store === after.context.store) return [];
  const names = [...after.context.store.sections, ...before.context.store.sections].map(({ name }) => name);
  return [...new Set(names)].flatMap((name) => {
    const change = sectionChange(section(before.context.store, name), section(after.context.store, name));
    return change === null ? [] : [{ type: 'section-change' as const, source, name, ...change }];
  });
}

type SectionChange = {
  removed: string[];
  put: Message[];
  added: { after: string | null; messages: Message[] }[];
};

/** By id: what went, what was replaced, and what came, each behind the message that it follows. */
export function sectionChange(before: readonly Message[], after: readonly Message[]): SectionChange | null {
  if (before === after) return null;
  const places = new Map(before.map((message, index) => [message.id, index]));
  const stayed = new Set<string>();
  const change: SectionChange = { removed: [], put: [], added: [] };
  let last: string | null = null;
  let place = -1;
  for (const message of after) {
    const old = places.get(message.id);
    // What stands out of order has been moved: it is taken out and put in again.
    if (old !== undefined && old > place && !stayed.has(message.id)) {
      place = old;
      stayed.add(message.id);
      if (before[old] !== message) change.put.push(message);
    } else if (!stayed.has(message.id)) {
      const group = change.added.at(-1);
      if (group?.messages.at(-1)?.id === last && last !== null) group.messages.push(message);
      else change.added.push({ after: last, messages: [message] });
    }
    last = message.id;
  }
  change.removed = before.flatMap(({ id }) => (stayed.has(id) ? [] : [id]));
  const isEmpty = change.removed.length + change.put.length + change.added.length === 0;
  return isEmpty ? null : change;
}

function pluginChanges(before: AgentState, after: AgentState, source: string | null): AgentEventBody[] {
  if (before.plugins === after.plugins) return [];
  const written = Object.entries(after.plugins).flatMap(([pluginId, entry]): AgentEventBody[] => {
    const old = Object.hasOwn(before.plugins, pluginId) ? before.plugins[pluginId] : undefined;
    if (entry === old) return [];
    return [{ type: 'plugin-change', source, pluginId, version: entry.version, data: entry.data }];
  });
  const forgotten = Object.keys(before.plugins).flatMap((pluginId): AgentEventBody[] =>
    Object.hasOwn(after.plugins, pluginId)
      ? []
      : [{ type: 'plugin-change', source, pluginId, version: 0, data: null, isForgotten: true }],
  );
  return [...written, ...forgotten];
}

function executionChanges(before: AgentState, after: AgentState, source: string | null): AgentEventBody[] {
  const [old, next] = [before.execution, after.execution];
  if (old === next || next === null) return [];
  const { executionId } = next;
  const oldSignals = old?.continuation.stopSignals ?? [];
  const signals = next.continuation.stopSignals
    .filter((signal) => !oldSignals.some((other) => isSame(other, signal)))
    .map((signal): AgentEventBody => ({ type: 'stop-signal', signal, executionId }));
  const oldErrors = [...(old?.errors ?? []), ...(old?.currentStep?.errors ?? [])];
  const errors = [...next.errors, ...(next.currentStep?.errors ?? [])]
    .filter((error) => !oldErrors.some((other) => isSame(other, error)))
    .map((error): AgentEventBody => ({ type: 'error-record', error, executionId }));
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

/** True when a state could not have come from the given one by changes that others may make. */
export function isForeign(before: AgentState, after: AgentState): boolean {
  if (before.agentId !== after.agentId) return true;
  const [old, next] = [before.execution, after.execution];
  if (old === null || next === null) return old !== next && old !== null;
  return old.executionId !== next.executionId || old.status !== next.status;
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
