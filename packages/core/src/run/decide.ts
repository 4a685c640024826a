import { needsAnswer } from '../graph/agent-step.ts';
import { isAgentStopError } from '../graph/agent-stop-error.ts';
import { of as signalOf, type StopSignal } from '../graph/stop-signal.ts';
import { continuationBranch, lastStep, stopSignal } from '../graph/agent-state/accessors.ts';
import {
  type ContinuationBranch,
  type ContinuationEvaluation,
  fresh,
} from '../graph/execution-continuation.ts';
import type { FinishReason } from '../graph/inference-response.ts';
import { commit, stateOf, stepNumber } from './run.ts';
import { memoize } from '../kit/memoize.ts';
import type { AgentState, AgentStep } from '../graph/types.ts';
import type { Run } from './slots.ts';

const whole = 'The model gave its final answer';
/** The message of a natural end, by the reason for which the model ended its answer. */
const endings: Readonly<Record<FinishReason, string>> = {
  stop: whole,
  'tool-calls': whole,
  length: 'The answer was cut at the length limit of the model',
  'content-filter': 'The provider held back the rest of the answer',
  error: 'The model broke off its answer with an error',
  other: 'The model does not say that its answer is whole',
};

/** Decides whether the run goes on, and records why. The step behind it spends a continuation request. */
export function decideStop(run: Run, at: ContinuationEvaluation['at']): boolean {
  const { aborted, reason: abort } = run.signal;
  if (aborted && isAgentStopError(abort)) addOnce(run, abort.signal);
  if (at !== 'resume' && !isNaturalEnd(run, at))
    for (const signal of run.slots.limits(run.env.now())) addOnce(run, signal);
  const branch = branchFor(run, at);
  const stops = branch === 'stop-signals' || branch === 'nothing-left' || branch === 'no-execution';
  if (branch === 'nothing-left') {
    const reason = lastStep(stateOf(run))?.inferenceResponse?.finishReason ?? 'stop';
    const message = endings[reason];
    const context = message === whole ? {} : { finishReason: reason };
    addSignal(run, signalOf('completed', { message, context }, run.env));
  }
  const { stopSignals } = continuationOf(run);
  const evaluation: ContinuationEvaluation = {
    at,
    stepNumber: at === 'before-step' ? stepNumber(run) : stepNumber(run) - 1,
    shouldStop: stops,
    branch,
    stopSignals: stops ? stopSignals : [],
    overridden: stops ? [] : stopSignals,
    winner: stops ? stopSignal(stateOf(run)) : null,
  };
  commit(run, { type: 'continuation-evaluate', evaluation });
  return stops;
}

/** True for a final answer in the last allowed step or over a limit: the answer is complete, so no limit is raised. */
function isNaturalEnd(run: Run, at: ContinuationEvaluation['at']): boolean {
  const step = lastStep(stateOf(run));
  if (at !== 'after-step' || step === null) return false;
  return !needsAnswer(step) && !continuationOf(run).isContinuationRequested;
}

/** The branch of `decideStop`. Before a step only signals can stop it, because there is no step to examine yet. */
function branchFor(run: Run, at: ContinuationEvaluation['at']): ContinuationBranch {
  // Nothing can run under an aborted signal, even with a continuation request.
  if (run.signal.aborted) return 'stop-signals';
  if (at !== 'before-step') return continuationBranch(stateOf(run));
  const { stopSignals, isContinuationRequested } = continuationOf(run);
  if (isContinuationRequested) return 'continuation-requested';
  return stopSignals.length > 0 ? 'stop-signals' : 'no-signals';
}

/** Adds a signal unless one of the same reason is present. */
export function addOnce(run: Run, signal: StopSignal): void {
  if (continuationOf(run).stopSignals.every(({ reason }) => reason !== signal.reason)) addSignal(run, signal);
}

function addSignal(run: Run, signal: StopSignal): void {
  const { by } = signal.context;
  commit(run, { type: 'stop-signal', signal, ...(typeof by === 'string' ? { by } : {}) });
}

function continuationOf(run: Run): ReturnType<typeof fresh> {
  return stateOf(run).execution?.continuation ?? fresh();
}

/** Steps that a run has taken so far, subagents included; one in flight counts once it has its answer. */
export function stepsTaken({ execution }: AgentState): number {
  if (execution === null || execution.status !== 'in-progress') return 0;
  const { stepExecutions, currentStep } = execution;
  const archived = stepExecutions.reduce((sum, { step }) => sum + 1 + stepsBelow(step), 0);
  if (currentStep === null) return archived;
  return archived + (currentStep.inferenceResponse === null ? 0 : 1) + stepsBelow(currentStep);
}

const stepsBelow: (step: AgentStep) => number = memoize((step) =>
  step.toolExecutions.reduce(
    (sum, { childState }) => sum + (childState === null ? 0 : totalSteps(childState)),
    0,
  ),
);

/** Steps of an agent and of its subagents, running or ended. */
export function totalSteps(state: AgentState): number {
  const { execution } = state;
  if (execution === null) return 0;
  return stepsTaken({ ...state, execution: { ...execution, status: 'in-progress', completedAt: null } });
}
