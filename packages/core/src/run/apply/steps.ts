import { withContinuationRequested, withRequestConsumed } from '../../graph/execution-continuation.ts';
import { of as stepOf } from '../../graph/agent-step.ts';
import { grown } from '../../kit/grown-list.ts';
import type { ExecutionState, StepExecution } from '../../graph/types.ts';
import { settledStep } from '../settled-step.ts';
import { execution, type HandlersOf } from './handler.ts';
import { placed } from './placed.ts';

/** The record of the check stays with the step that it follows. */
function withRecord(
  current: ExecutionState,
  continuation: ExecutionState['continuation'],
): readonly StepExecution[] {
  const last = current.stepExecutions.at(-1);
  if (last === undefined || last.continuation === continuation) return current.stepExecutions;
  return [...current.stepExecutions.slice(0, -1), { ...last, continuation }];
}

export const stepHandlers: HandlersOf<'step-start' | 'step-end' | 'continuation-evaluate'> = {
  /** Spends the continuation request that led here: it consumes the signals that stood against it. */
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

  'step-end'(state, { resultMessageIds, durationMs, toolTrace, at }) {
    const { execution: current } = state;
    if (current === null || current.currentStep === null) return {};
    const settled = settledStep(current.currentStep, resultMessageIds, at);
    // An answer that was finished was placed with its end.
    const answers = current.currentStep.inferenceResponse === null ? [] : current.currentStep.outputMessages;
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
      // A step that never ran leaves no trace but its errors.
      return {
        ...current,
        continuation: withContinuationRequested(current.continuation, false),
        currentStep: null,
        currentStepStartedAt: null,
        errors: [...current.errors, ...(current.currentStep?.errors ?? [])],
      };
    }),
};
