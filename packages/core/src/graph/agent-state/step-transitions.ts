import { withContinuationRequested } from '../execution-continuation.ts';
import { type Env, systemEnv } from '../env.ts';
import { type MessageStore, section, type SectionName, upsert, withSection } from '../message-store.ts';
import type { Message } from '../message.ts';
import { type as stepType } from '../agent-step.ts';
import { change, changeExecution } from './change.ts';
import type { AgentState, AgentStep, StepExecution } from '../types.ts';

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
  const placed = changeExecution(state, (execution) => execution, env);
  const executionId = placed.execution?.executionId ?? '';
  const isTrace = stepType(step) !== 'final-response';
  const tags = { step_id: step.id, execution_id: executionId, agent_id: state.agentId };
  const outputMessages = tagAll(step.outputMessages, tags, isTrace);
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
  return change(
    state,
    {
      execution: {
        ...execution,
        stepExecutions: [...execution.stepExecutions, archived],
        continuation: withContinuationRequested(execution.continuation, false),
        currentStep: null,
        currentStepStartedAt: null,
      },
    },
    env,
  );
}

function tagAll(
  messages: readonly Message[],
  tags: Record<string, string>,
  isTrace: boolean,
): readonly Message[] {
  const tagged = messages.map((message) => tag(message, tags, isTrace));
  return tagged.every((message, index) => message === messages[index]) ? messages : tagged;
}

function tag(message: Message, tags: Record<string, string>, isTrace: boolean): Message {
  const { is_trace, ...others } = message.metadata;
  const hasTags = Object.keys(tags).every((key) => others[key] === tags[key]);
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
