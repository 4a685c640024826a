import type { LlmConfig } from '../llm-config.ts';
import { type Env, systemEnv } from '../env.ts';
import type { JsonObject } from '../../kit/json.ts';
import { append, type MessageStore, withSection } from '../message-store.ts';
import { type Message, user } from '../message.ts';
import { change, changeContext, changeStore } from './change.ts';
import { isFinished } from '../execution-state.ts';
import type { AgentState } from '../types.ts';

/** Appends what the user says. What an earlier run left in the execution buffer is dropped. */
export function withUserMessage(
  state: AgentState,
  message: string | Message,
  env: Env = systemEnv,
): AgentState {
  const added = typeof message === 'string' ? user(message, {}, env) : message;
  const isIdle = state.execution === null || isFinished(state.execution);
  const store = isIdle ? withSection(state.context.store, 'execution_buffer', []) : state.context.store;
  return changeStore(state, append(store, [added]), env);
}

/** Replaces the section `messages`. */
export function withMessages(
  state: AgentState,
  messages: readonly Message[],
  env: Env = systemEnv,
): AgentState {
  return changeStore(state, withSection(state.context.store, 'messages', messages), env);
}

export function withMessageStore(state: AgentState, store: MessageStore, env: Env = systemEnv): AgentState {
  return changeStore(state, store, env);
}

/** Merges keys into the metadata of the context. */
export function withMetadata(state: AgentState, metadata: JsonObject, env: Env = systemEnv): AgentState {
  const current = state.context.metadata;
  const changes = Object.keys(metadata).some((key) => !Object.is(current[key], metadata[key]));
  return changes ? changeContext(state, { metadata: { ...current, ...metadata } }, env) : state;
}

export function withSystemPrompt(state: AgentState, systemPrompt: string, env: Env = systemEnv): AgentState {
  return changeContext(state, { systemPrompt }, env);
}

/** Null goes back to the agent definition's configuration. */
export function withLlmConfig(
  state: AgentState,
  llmConfig: LlmConfig | null,
  env: Env = systemEnv,
): AgentState {
  return change(state, { llmConfig }, env);
}

const noTexts: AgentState['texts'] = {};
const noMessages: AgentState['retained'] = {};

/** Forgets the last run and keeps the session: messages, metadata, plugins and the count of executions. */
export function forNextExecution(state: AgentState, env: Env = systemEnv): AgentState {
  const cleared = changeContext(
    state,
    { store: withSection(state.context.store, 'execution_buffer', []) },
    env,
  );
  return change(cleared, { execution: null, texts: noTexts, retained: noMessages }, env);
}
