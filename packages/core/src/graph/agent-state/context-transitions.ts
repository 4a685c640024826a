import { spentWithoutExecution } from '../session-spent.ts';
import type { LlmConfig } from '../llm-config.ts';
import { ownLlmConfig } from '../llm-settings.ts';
import { equalJson, type JsonObject } from '../../kit/json.ts';
import { toJsonObject } from '../../kit/to-json.ts';
import { knownMessage, normalizeMessage, normalizeMessages } from '../normalize-message.ts';
import { type Env, systemEnv } from '../env.ts';
import { append, type MessageStore, withSection } from '../message-store.ts';
import { type Message, user } from '../message.ts';
import { change, changeContext, changeStore } from './change.ts';
import { isFinished } from '../execution-state.ts';
import type { AgentState } from '../types.ts';

/**
 * Appends a user message; it is copied and repaired (see `normalizeMessage`). The execution buffer of an earlier run
 * is cleared.
 * @throws AgentError `message-invalid` for a value that is no message.
 */
export function withUserMessage(
  state: AgentState,
  message: string | Message,
  env: Env = systemEnv,
): AgentState {
  const added = normalizeMessage(typeof message === 'string' ? user(message, {}, env) : message, env);
  const isIdle = state.execution === null || isFinished(state.execution);
  const store = isIdle ? withSection(state.context.store, 'execution_buffer', []) : state.context.store;
  return changeStore(state, append(store, [added]), env);
}

/**
 * Replaces the section `messages`. Messages that are new to the state are copied and repaired, see
 * `normalizeMessages`.
 * @throws AgentError `message-invalid` for a value that is no message.
 */
export function withMessages(
  state: AgentState,
  messages: readonly Message[],
  env: Env = systemEnv,
): AgentState {
  const { store } = state.context;
  for (const section of store.sections) section.messages.forEach(knownMessage);
  return changeStore(state, withSection(store, 'messages', normalizeMessages(messages, env)), env);
}

/** The state with all its sections replaced, unchecked; `withMessages` checks messages from outside. */
export function withMessageStore(state: AgentState, store: MessageStore, env: Env = systemEnv): AgentState {
  return changeStore(state, store, env);
}

/** Merges keys into the metadata of the context; values are copied as JSON, see `toJson`. */
export function withMetadata(state: AgentState, metadata: JsonObject, env: Env = systemEnv): AgentState {
  const current = state.context.metadata;
  const changed = Object.entries(toJsonObject(metadata)).filter(
    ([key, value]) => !equalJson(current[key], value),
  );
  if (changed.length === 0) return state;
  return changeContext(state, { metadata: { ...current, ...Object.fromEntries(changed) } }, env);
}

/** The state with another system prompt; the same state when they are equal. */
export function withSystemPrompt(state: AgentState, systemPrompt: string, env: Env = systemEnv): AgentState {
  return changeContext(state, { systemPrompt }, env);
}

/**
 * Sets a copy of the configuration. Null returns to the configuration of the agent definition.
 * @throws AgentError `llm-settings-secret` when a setting looks like a secret: state is saved and shown.
 */
export function withLlmConfig(
  state: AgentState,
  llmConfig: LlmConfig | null,
  env: Env = systemEnv,
): AgentState {
  if (llmConfig === state.llmConfig) return state;
  return change(state, { llmConfig: llmConfig === null ? null : ownLlmConfig(llmConfig) }, env);
}

const noTexts: AgentState['texts'] = {};
const noMessages: AgentState['retained'] = {};

/** Drops the last run and keeps the session: messages, metadata, plugins and the count of executions. */
export function forNextExecution(state: AgentState, env: Env = systemEnv): AgentState {
  const cleared = changeContext(
    state,
    { store: withSection(state.context.store, 'execution_buffer', []) },
    env,
  );
  const spentBefore = spentWithoutExecution(state);
  return change(cleared, { execution: null, spentBefore, texts: noTexts, retained: noMessages }, env);
}
