import { freeze } from '../../kit/freeze.ts';
import { mapSame, sharedLength } from '../../kit/memoize.ts';
import { type Env, systemEnv } from '../env.ts';
import { pending, isFinished } from '../execution-state.ts';
import { type MessageStore, section, append, withSection, type SectionName } from '../message-store.ts';
import { upsert } from '../messages-by-id.ts';
import { type Message, user } from '../message.ts';
import { retain } from '../retained.ts';
import type {
  AgentContext,
  AgentState,
  ExecutionState,
  ExecutionStatus,
  AgentStep,
  StepExecution,
} from '../types.ts';
import { spentWithoutExecution } from '../limits.ts';
import { type LlmConfig, ownLlmConfig } from '../llm-config.ts';
import { equalJson, isPlainObject, type JsonObject } from '../../kit/json.ts';
import { toJsonObject } from '../../kit/to-json.ts';
import { knownMessage, normalizeMessage, normalizeMessages } from '../normalize-message.ts';
import { withContinuationRequested, withStopSignal as addStopSignal } from '../execution-continuation.ts';
import { wasForceStopped } from '../stop-reason.ts';
import { of as signalOf, type StopSignal } from '../stop-signal.ts';
import { copyErrorInfo } from '../copy-error-info.ts';
import { type ErrorInfo, of as errorInfo } from '../error-info.ts';
import { stopSignal } from './accessors.ts';
import { type as stepType } from '../agent-step.ts';

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
function changeStore(state: AgentState, store: MessageStore, env: Env): AgentState {
  if (store === state.context.store) return state;
  return change(state, storeFields(state, store), env);
}

/** The fields of a state whose store is replaced. For `isGone` see `retain`. */
export function storeFields(
  state: AgentState,
  store: MessageStore,
  isGone?: (message: Message) => boolean,
): Pick<AgentState, 'context' | 'execution' | 'retained'> {
  let { execution, retained: kept } = state;
  for (const { name, messages } of state.context.store.sections) {
    const next = section(store, name);
    if (next === messages || sharedLength(next, messages) === messages.length) continue;
    ({ execution, retained: kept } = retain({ ...state, execution, retained: kept }, name, next, isGone));
  }
  return { context: { ...state.context, store }, execution, retained: kept };
}

/** Changes the execution. An idle state gets a pending one first, which counts as one more execution. */
function changeExecution(
  state: AgentState,
  env: Env,
  update: (execution: ExecutionState) => ExecutionState,
): AgentState {
  if (state.execution !== null) return change(state, { execution: update(state.execution) }, env);
  return change(state, { execution: update(pending(env)), executionCount: state.executionCount + 1 }, env);
}

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
 * Replaces the section `messages`. Messages that are new to the state are copied and repaired, see `normalizeMessages`.
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

/** The fields of a state without its run. Its spending is kept. */
export function fieldsWithoutRun(
  state: AgentState,
): Pick<AgentState, 'execution' | 'spentBefore' | 'texts' | 'retained'> {
  const spentBefore = spentWithoutExecution(state);
  return { execution: null, spentBefore, texts: noTexts, retained: noMessages };
}

/** Drops the last run and keeps the session: messages, metadata, plugins and the count of executions. */
export function forNextExecution(state: AgentState, env: Env = systemEnv): AgentState {
  const store = withSection(state.context.store, 'execution_buffer', []);
  return change(changeContext(state, { store }, env), fieldsWithoutRun(state), env);
}

/** Adds a stop signal. */
export function withStopSignal(state: AgentState, signal: StopSignal, env: Env = systemEnv): AgentState {
  return changeExecution(state, env, (execution) => ({
    ...execution,
    continuation: addStopSignal(execution.continuation, signal),
  }));
}

/** Requests a continuation: at the next check it consumes the signals against it. */
export function withExecutionContinued(state: AgentState, env: Env = systemEnv): AgentState {
  return changeExecution(state, env, (execution) => {
    const continuation = withContinuationRequested(execution.continuation);
    return continuation === execution.continuation ? execution : { ...execution, continuation };
  });
}

/** Sets the status of the execution. One that ends gets its time; an idle state gets a pending execution first. */
export function withExecutionStatus(
  state: AgentState,
  status: ExecutionStatus,
  env: Env = systemEnv,
): AgentState {
  return changeExecution(state, env, (execution) => {
    if (execution.status === status) return execution;
    if (status === 'pending' || status === 'in-progress') return { ...execution, status, completedAt: null };
    return { ...execution, status, completedAt: env.now() };
  });
}

/** Records an error in the step in flight, or outside any step. It does not decide about the run. */
export function withError(state: AgentState, given: ErrorInfo, env: Env = systemEnv): AgentState {
  const error = isPlainObject(given) ? copyErrorInfo(given) : errorInfo(given);
  return changeExecution(state, env, (execution) => withErrorRecorded(execution, error));
}

/** The execution with an error of the step in flight, or outside any step. */
export function withErrorRecorded(execution: ExecutionState, error: ErrorInfo): ExecutionState {
  const { currentStep: step } = execution;
  if (step === null) return { ...execution, errors: [...execution.errors, error] };
  return { ...execution, currentStep: { ...step, errors: [...step.errors, error] } };
}

/**
 * Records a thrown value together with an `error-forbade` signal, and fails a run in progress. A pending execution
 * stays pending; the following run ends it as failed.
 */
export function withFailure(state: AgentState, thrown: unknown, env: Env = systemEnv): AgentState {
  const error = errorInfo(thrown);
  const recorded = withError(state, error, env);
  const init = { message: error.message, source: error.name, context: { code: error.code } };
  const signalled = withStopSignal(recorded, signalOf('error-forbade', init, env), env);
  return signalled.execution?.status === 'in-progress'
    ? withExecutionStatus(signalled, 'failed', env)
    : signalled;
}

/** Ends the execution with the status of its signals; without any signal it is `completed`. */
export function withExecutionCompleted(state: AgentState, env: Env = systemEnv): AgentState {
  if (state.execution !== null && isFinished(state.execution)) return state;
  const archived = withCurrentStepCompleted(state, env);
  const winner = stopSignal(archived);
  const ended = winner === null ? withStopSignal(archived, signalOf('completed', {}, env), env) : archived;
  return withExecutionStatus(ended, terminalStatus(winner), env);
}

/** `failed` when an error decided, `stopped` when something else forced the end, else `completed`. */
export function terminalStatus(winner: StopSignal | null): 'completed' | 'stopped' | 'failed' {
  if (winner === null || !wasForceStopped(winner.reason)) return 'completed';
  return winner.reason === 'error-forbade' ? 'failed' : 'stopped';
}

/** The metadata by which a message names its step. */
type StepTags = { readonly step_id: string; readonly execution_id: string; readonly agent_id: string };

/** The place of tool calls and results: tagged among the messages, or in a section of their own. */
export type ToolTrace = 'tagged' | 'separate';

/**
 * Sets the step in flight. Its output messages are tagged with step, execution and agent, and added to the store.
 * Applying the same step again replaces its earlier messages, also when it has other ones now.
 */
export function withCurrentStep(
  state: AgentState,
  step: AgentStep,
  env: Env = systemEnv,
  options: { readonly toolTrace?: ToolTrace } = {},
): AgentState {
  const placed = changeExecution(state, env, (execution) => execution);
  const executionId = placed.execution?.executionId ?? '';
  const isTrace = stepType(step) !== 'final-response';
  const tags = { step_id: step.id, execution_id: executionId, agent_id: state.agentId };
  const outputMessages = mapSame(step.outputMessages, (message) => tag(message, tags, isTrace));
  const tagged = outputMessages === step.outputMessages ? step : { ...step, outputMessages };
  const target = options.toolTrace === 'separate' && isTrace ? 'execution_buffer' : 'messages';
  const left = withoutEarlier(placed.context.store, outputMessages, tags, target);
  const store = place(left, outputMessages, target, tags);
  const context = store === placed.context.store ? placed.context : { ...placed.context, store };
  const execution = placed.execution && {
    ...placed.execution,
    currentStep: tagged,
    currentStepStartedAt: placed.execution.currentStepStartedAt ?? env.now(),
  };
  const isSame = placed.execution?.currentStep === tagged && context === placed.context;
  return isSame ? placed : change(placed, { context, execution }, env);
}

/** Archives the step in flight and spends a continuation request; returns the same state when no step is in flight. */
export function withCurrentStepCompleted(
  state: AgentState,
  env: Env = systemEnv,
  options: { readonly durationMs?: number } = {},
): AgentState {
  const { execution } = state;
  if (execution === null || execution.currentStep === null) return state;
  const completedAt = env.now();
  const startedAt = execution.currentStepStartedAt ?? completedAt;
  const archived: StepExecution = {
    id: execution.currentStep.id,
    step: execution.currentStep,
    continuation: execution.continuation,
    startedAt,
    completedAt,
    durationMs: options.durationMs ?? Math.max(0, completedAt - startedAt),
  };
  const next = {
    ...execution,
    stepExecutions: [...execution.stepExecutions, archived],
    continuation: withContinuationRequested(execution.continuation, false),
    currentStep: null,
    currentStepStartedAt: null,
  };
  return change(state, { execution: next }, env);
}

/** The message with the tags of its step; the same message when it has them. */
export function tag(message: Message, tags: StepTags, isTrace: boolean): Message {
  const { is_trace, ...others } = message.metadata;
  const hasTags = Object.entries(tags).every(([key, value]) => others[key] === value);
  if (hasTags && (is_trace === true) === isTrace) return message;
  return { ...message, metadata: { ...others, ...tags, ...(isTrace ? { is_trace: true } : {}) } };
}

/** Removes earlier messages of the step from a section; its new messages take their place. */
function withoutEarlier(
  store: MessageStore,
  messages: readonly Message[],
  { step_id, execution_id }: StepTags,
  name: SectionName,
): MessageStore {
  const before = section(store, name);
  const [ids, known] = [idsOf(messages), idsOf(before)];
  const isEarlier = ({ id, metadata }: Message): boolean =>
    !ids.has(id) && metadata['step_id'] === step_id && metadata['execution_id'] === execution_id;
  const at = before.findIndex(isEarlier);
  if (at < 0) return store;
  const added = messages.filter(({ id }) => !known.has(id));
  const after = before.slice(at).filter((message) => !isEarlier(message));
  return withSection(store, name, [...before.slice(0, at), ...added, ...after]);
}

function idsOf(messages: readonly Message[]): ReadonlySet<string> {
  return new Set(messages.map(({ id }) => id));
}

/** Moves a step between the sections when it turns from an answer into a trace, or back. */
function place(
  store: MessageStore,
  messages: readonly Message[],
  target: 'messages' | 'execution_buffer',
  tags: StepTags,
): MessageStore {
  const other = target === 'messages' ? 'execution_buffer' : 'messages';
  const known = withoutEarlier(store, [], tags, other);
  const moved = section(known, other).filter((message) =>
    messages.every((candidate) => candidate.id !== message.id),
  );
  const cleared = moved.length === section(known, other).length ? known : withSection(known, other, moved);
  return upsert(cleared, messages, target);
}
