import { withContinuationRequested } from '../execution-continuation.ts';
import { type Env, systemEnv } from '../env.ts';
import { type MessageStore, section, upsert, withSection } from '../message-store.ts';
import type { Message } from '../message.ts';
import { type as stepType } from '../agent-step.ts';
import { change, changeExecution } from './change.ts';
import type { AgentState, AgentStep, StepExecution } from '../types.ts';

/** Where tool calls and results go: among the messages, tagged, or into a section of their own. */
export type ToolTrace = 'tagged' | 'separate';

/**
 * Sets the step in flight. Its output messages are tagged with step, execution and agent, and put into the store;
 * applying the same step again replaces what it put there before.
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
  const store = place(placed.context.store, outputMessages, target);
  const context = store === placed.context.store ? placed.context : { ...placed.context, store };
  const execution = placed.execution && {
    ...placed.execution,
    currentStep: tagged,
    currentStepStartedAt: placed.execution.currentStepStartedAt ?? env.now(),
  };
  const isSame = placed.execution?.currentStep === tagged && context === placed.context;
  return isSame ? placed : change(placed, { context, execution }, env);
}

/** Archives the step in flight and spends a continuation request; the same state when there is none. */
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

/** A step that turned from an answer into a trace, or back, moves between the sections. */
function place(
  store: MessageStore,
  messages: readonly Message[],
  target: 'messages' | 'execution_buffer',
): MessageStore {
  const other = target === 'messages' ? 'execution_buffer' : 'messages';
  const moved = section(store, other).filter((message) =>
    messages.every((candidate) => candidate.id !== message.id),
  );
  const cleared = moved.length === section(store, other).length ? store : withSection(store, other, moved);
  return upsert(cleared, messages, target);
}
