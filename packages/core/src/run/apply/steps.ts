import { withContinuationRequested, withRequestConsumed } from '../../graph/execution-continuation.ts';
import { of as stepOf } from '../../graph/agent-step.ts';
import { addCharge } from '../../graph/usage-of-call.ts';
import { growList, replacedAt } from '../../kit/memoize.ts';
import type { ExecutionState, StepExecution, AgentStep, ToolExecution } from '../../graph/types.ts';
import { withCallsAsShown, isErased } from '../../graph/follow-changes.ts';
import { execution, type Handlers, placeOutput } from './handler.ts';
import { isFinished, toolErrorPrefix } from '../../graph/tool-execution.ts';
import type { Message, ToolOutcome } from '../../graph/message.ts';

function withRecord(
  current: ExecutionState,
  continuation: ExecutionState['continuation'],
): readonly StepExecution[] {
  const last = current.stepExecutions.at(-1);
  if (last === undefined || last.continuation === continuation) return current.stepExecutions;
  return replacedAt(current.stepExecutions, current.stepExecutions.length - 1, { ...last, continuation });
}

export const stepHandlers = {
  /** Spends the continuation request that led to this step: it consumes the signals against it. */
  'step-start': (state, { stepId, at }) =>
    execution(state, (current) => {
      const continuation = withRequestConsumed(current.continuation);
      return {
        ...current,
        continuation,
        stepExecutions:
          continuation === current.continuation ? current.stepExecutions : withRecord(current, continuation),
        currentStep: stepOf({ id: stepId }),
        currentStepStartedAt: at,
      };
    }),

  'step-end'(state, { resultMessageIds, durationMs, toolTrace, at, asleepMs = 0 }) {
    const { execution: current } = state;
    if (current === null || current.currentStep === null) return {};
    const isAnswered = current.currentStep.inferenceResponse !== null;
    const inFlight = isAnswered ? withCallsAsShown(current.currentStep) : current.currentStep;
    const settled = settledStep(inFlight, resultMessageIds, at);
    // A finished answer was stored when it ended.
    const answers = isAnswered ? inFlight.outputMessages : [];
    const known = new Set(answers.map(({ id }) => id));
    const { step, store } = placeOutput(state, settled, toolTrace, known);
    const archived: StepExecution = {
      id: step.id,
      step,
      continuation: current.continuation,
      startedAt: current.currentStepStartedAt ?? at,
      completedAt: at,
      durationMs,
    };
    return {
      context: store === state.context.store ? state.context : { ...state.context, store },
      execution: {
        ...current,
        stepExecutions: growList(current.stepExecutions, [archived]),
        waitedMs: current.waitedMs + asleepMs,
        currentStep: null,
        currentStepStartedAt: null,
      },
    };
  },

  'continuation-evaluate': (state, { evaluation }) =>
    execution(state, (current) => {
      if (evaluation.at !== 'before-step') {
        const continuation = evaluation.shouldStop
          ? withContinuationRequested(current.continuation, false)
          : current.continuation;
        return { ...current, continuation, stepExecutions: withRecord(current, continuation) };
      }
      if (!evaluation.shouldStop)
        return { ...current, continuation: withRequestConsumed(current.continuation) };
      // A step that never ran leaves only its errors and its charges.
      return {
        ...current,
        continuation: withContinuationRequested(current.continuation, false),
        currentStep: null,
        currentStepStartedAt: null,
        errors: [...current.errors, ...(current.currentStep?.errors ?? [])],
        extraUsage: current.currentStep?.extraUsage
          ? addCharge(current.extraUsage, current.currentStep.extraUsage)
          : current.extraUsage,
      };
    }),
} satisfies Partial<Handlers>;

/**
 * The step as it is archived: after its answer comes a message with the result of every call, in call
 * order. An answer that broke off is kept and marked; an empty one is removed.
 */
function settledStep(step: AgentStep, messageIds: readonly string[], at: number): AgentStep {
  const answers = step.outputMessages
    .map((message) => (step.inferenceResponse === null ? incomplete(message, step.toolExecutions) : message))
    .filter((message) => message.parts.length > 0 || isErased(message));
  const results = step.toolExecutions.flatMap((execution, index) =>
    isFinished(execution) ? [resultMessage(execution, messageIds[index] ?? execution.id, at)] : [],
  );
  return { ...step, outputMessages: [...answers, ...results] };
}

/** Removes the calls of an unfinished answer that were not run, here or elsewhere, and have no result. */
function incomplete(message: Message, calls: readonly ToolExecution[]): Message {
  const parts = message.parts.filter(
    (part) => part.type !== 'tool-call' || calls.some(({ id }) => id === part.toolCallId),
  );
  return { ...message, parts, metadata: { ...message.metadata, incomplete: true } };
}

function resultMessage(execution: ToolExecution, id: string, at: number): Message {
  const { toolCall, status, result = null, error, durationMs } = execution;
  const isCompleted = status === 'completed';
  return {
    id,
    role: 'tool',
    parts: [
      {
        type: 'tool-result',
        toolCallId: execution.id,
        toolName: toolCall.name,
        output: isCompleted ? result : `${toolErrorPrefix}${error?.message ?? status}`,
        outcome: status as ToolOutcome,
        durationMs,
      },
    ],
    metadata: {},
    createdAt: at,
    parentId: null,
  };
}
