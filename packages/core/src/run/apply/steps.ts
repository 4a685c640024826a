import { withContinuationRequested, withRequestConsumed } from '../../graph/execution-continuation.ts';
import { of as stepOf } from '../../graph/agent-step.ts';
import { charged } from '../../graph/usage-of-call.ts';
import { grown, replacedAt } from '../../kit/grown-list.ts';
import type { ExecutionState, StepExecution } from '../../graph/types.ts';
import { withCallsAsShown } from '../../graph/follow-changes.ts';
import { settledStep } from '../settled-step.ts';
import { execution, type HandlersOf } from './handler.ts';
import { placed } from './placed.ts';

/** Adds the record of a check to the step before it. */
function withRecord(
  current: ExecutionState,
  continuation: ExecutionState['continuation'],
): readonly StepExecution[] {
  const last = current.stepExecutions.at(-1);
  if (last === undefined || last.continuation === continuation) return current.stepExecutions;
  return replacedAt(current.stepExecutions, current.stepExecutions.length - 1, { ...last, continuation });
}

export const stepHandlers: HandlersOf<'step-start' | 'step-end' | 'continuation-evaluate'> = {
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
    const { step, store } = placed(state, settled, toolTrace, known);
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
        stepExecutions: grown(current.stepExecutions, [archived]),
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
          ? charged(current.extraUsage, current.currentStep.extraUsage)
          : current.extraUsage,
      };
    }),
};
