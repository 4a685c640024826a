import { AgentError } from '../kit/agent-error.ts';
import { equalJson, type JsonObject } from '../kit/json.ts';
import { textOf } from '../kit/text.ts';
import { toJson, toJsonObject } from '../kit/to-json.ts';
import { type Env, systemEnv } from '../graph/env.ts';
import { section } from '../graph/message-store.ts';
import { checkedError, copyLlmConfig, checkedResponseFormat, checkedSignal } from './boundary.ts';
import type { AgentState } from '../graph/types.ts';
import type { AgentEventBody } from './events.ts';
import type { Message } from '../graph/message.ts';
import { normalizeMessage } from '../graph/normalize-message.ts';

/**
 * Returns the changes of a hook, tool or application as events: the difference between the state it was given and the
 * one it returned. Values are compared by reference, key and id. Applied to a later state, the events undo no changes
 * of others. The execution belongs to the loop, except for signals, continuation and errors. `isErasing` deletes removed
 * texts everywhere; by default, steps that were sent them keep them.
 */
export function stateChanges(
  before: AgentState,
  after: AgentState,
  source: string | null,
  env: Env = systemEnv,
  { isErasing = false }: { readonly isErasing?: boolean } = {},
): AgentEventBody[] {
  if (before === after) return [];
  return [
    ...contextChanges(before, after, source),
    ...metadataChanges(before.context.metadata, after.context.metadata, source),
    ...storeChanges(before, after, { source, isErasing }, env),
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
    ...(after.llmConfig === before.llmConfig ? {} : { llmConfig: copyLlmConfig(after.llmConfig) }),
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
  { source, isErasing }: { readonly source: string | null; readonly isErasing: boolean },
  env: Env,
): AgentEventBody[] {
  if (before.context.store === after.context.store) return [];
  const names = [...after.context.store.sections, ...before.context.store.sections].map(({ name }) => name);
  const changes = [...new Set(names)].flatMap((name) => {
    if (typeof name !== 'string')
      throw new AgentError('hook-contract', 'The name of a message section has to be a text.');
    const [old, next] = [section(before.context.store, name), section(after.context.store, name)];
    const change = sectionChange(old, next, env);
    return change === null ? [] : [{ type: 'section-change' as const, source, name, ...change }];
  });
  const erased = isErasing && changes.length > 0 ? erasedBy(before, after, changes) : [];
  // A message may move to another section, so only after the last change is it known which messages are gone.
  return changes.map((change, index) =>
    erased.length > 0 && index === changes.length - 1 ? { ...change, erased } : change,
  );
}

/** Ids of the former messages that were rewritten or are in no section any more. */
function erasedBy(before: AgentState, after: AgentState, changes: readonly SectionChange[]): string[] {
  const touched = new Set(changes.flatMap(({ removed, put }) => [...removed, ...put.map(({ id }) => id)]));
  const standing = new Set(after.context.store.sections.flatMap(({ messages }) => messages));
  const byId = new Map([...standing].map((message) => [message.id, message]));
  const isGone = (message: Message): boolean =>
    touched.has(message.id) && !standing.has(message) && !holdsAllOf(byId.get(message.id), message);
  const gone = before.context.store.sections.flatMap(({ messages }) => messages.filter(isGone));
  return [...new Set(gone.map(({ id }) => id))];
}

/** True for a message that only gained parts behind its own, or metadata: no text of the former one is gone. */
function holdsAllOf(next: Message | undefined, { role, parts: old, metadata }: Message): boolean {
  if (next?.role !== role || !equalJson(toJson(next.parts.slice(0, old.length)), toJson(old))) return false;
  return Object.entries(metadata).every(([key, value]) => equalJson(value, next.metadata[key] ?? null));
}

function pluginChanges(before: AgentState, after: AgentState, source: string | null): AgentEventBody[] {
  if (before.plugins === after.plugins) return [];
  const written = Object.entries(after.plugins).flatMap(([pluginId, entry]): AgentEventBody[] => {
    const old = Object.hasOwn(before.plugins, pluginId) ? before.plugins[pluginId] : undefined;
    if (entry === old) return [];
    const { version, data } = entry;
    // Hooks use `PluginState.set`. State that they build by hand gets version 1 when it has none.
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
    .filter((signal) => !oldSignals.some((other) => equalJson(other, signal)))
    .map((signal): AgentEventBody => ({
      type: 'stop-signal',
      signal: checkedSignal(signal, env),
      executionId,
    }));
  const oldErrors = [...(old?.errors ?? []), ...(old?.currentStep?.errors ?? [])];
  const errors = [...next.errors, ...(next.currentStep?.errors ?? [])]
    .filter((error) => !oldErrors.some((other) => equalJson(other, error)))
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

type SectionChange = {
  removed: string[];
  put: Message[];
  added: { after: string | null; messages: Message[] }[];
};

/** The difference between two lists by id: removed, replaced, and added with the message that each follows. */
function sectionChange(
  before: readonly Message[],
  given: readonly Message[],
  env: Env,
): SectionChange | null {
  if (before === given) return null;
  const known = new Set(before);
  // New messages come from outside, so they are copied into the shape that state holds.
  const after = given.map((message) => (known.has(message) ? message : normalizeMessage(message, env)));
  const places = new Map(before.map((message, index) => [message.id, index]));
  const stayed = new Set<string>();
  const change: SectionChange = { removed: [], put: [], added: [] };
  let last: string | null = null;
  let place = -1;
  for (const message of after) {
    const old = places.get(message.id);
    // A message out of order was moved: it is removed and added again.
    if (old !== undefined && old > place && !stayed.has(message.id)) {
      place = old;
      stayed.add(message.id);
      // A message with equal content changes nothing.
      if (!equalJson(before[old], message)) change.put.push(message);
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
