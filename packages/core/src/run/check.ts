import { exceeded } from '../graph/limits/execution-budget.ts';
import type { ContinuationBranch, ContinuationEvaluation } from '../graph/continuation-evaluation.ts';
import {
  type ExecutionContinuation,
  withContinuationRequested,
  withRequestConsumed,
} from '../graph/execution-continuation.ts';
import { of as signalOf } from '../graph/stop-signal.ts';
import { isAgentStopError } from '../graph/agent-stop-error.ts';
import { continuationBranch, stopSignal } from '../graph/agent-state/accessors.ts';
import { change } from '../graph/agent-state/change.ts';
import { withStopSignal } from '../graph/agent-state/execution-transitions.ts';
import type { AgentState } from '../graph/types.ts';
import { emit, type Run, spent } from './run.ts';

/**
 * Decides whether the run goes on, and says why in an event. A continuation request is spent here: it consumes the
 * signals that stand, so that a guard must speak up again at the next check.
 */
export function shouldStopHere(run: Run, at: ContinuationEvaluation['at']): boolean {
  addAbortSignal(run);
  // A final answer in the last allowed step, or one that overshoots, is complete: no limit speaks against it.
  const isNaturalEnd = at === 'after-step' && continuationBranch(run.state) === 'nothing-left';
  if (at !== 'resume' && !isNaturalEnd) addBudgetSignals(run);
  const before = run.state;
  const branch = branchFor(run, at);
  const shouldStop = branch === 'stop-signals' || branch === 'nothing-left' || branch === 'no-execution';
  if (shouldStop && branch === 'nothing-left') {
    run.state = withStopSignal(
      run.state,
      signalOf('completed', { message: 'The model gave its final answer' }, run.env),
      run.env,
    );
  }
  const decided = continuationOf(run.state);
  setContinuation(
    run,
    at,
    shouldStop ? withContinuationRequested(decided, false) : withRequestConsumed(decided),
  );
  const overridden = shouldStop ? [] : continuationOf(before).stopSignals;
  const stepNumber = evaluatedStep(run, at);
  const stopSignals = shouldStop ? continuationOf(run.state).stopSignals : [];
  const winner = shouldStop ? stopSignal(run.state) : null;
  const evaluation = { at, stepNumber, shouldStop, branch, stopSignals, overridden, winner };
  emit(run, { type: 'continuation-evaluate', evaluation }, stepNumber);
  return shouldStop;
}

/** Before a step there is nothing to ask of a step: only signals can keep it from running. */
function branchFor(run: Run, at: ContinuationEvaluation['at']): ContinuationBranch {
  // Nothing can run under an aborted signal, whoever asks to go on.
  if (run.signal.aborted) return 'stop-signals';
  if (at !== 'before-step') return continuationBranch(run.state);
  const { stopSignals, isContinuationRequested } = continuationOf(run.state);
  if (isContinuationRequested) return 'continuation-requested';
  return stopSignals.length > 0 ? 'stop-signals' : 'no-signals';
}

function addAbortSignal(run: Run): void {
  const { reason } = run.signal;
  if (!run.signal.aborted || !isAgentStopError(reason)) return;
  const standing = continuationOf(run.state).stopSignals;
  if (standing.every((signal) => signal.reason !== reason.signal.reason)) {
    run.state = withStopSignal(run.state, reason.signal, run.env);
  }
}

function addBudgetSignals(run: Run): void {
  const standing = continuationOf(run.state).stopSignals;
  for (const signal of exceeded(run.budget, spent(run), run.env.now())) {
    if (standing.every((other) => other.reason !== signal.reason))
      run.state = withStopSignal(run.state, signal, run.env);
  }
}

/** The record of the check stays with the step that it follows. */
function setContinuation(
  run: Run,
  at: ContinuationEvaluation['at'],
  continuation: ExecutionContinuation,
): void {
  const { execution } = run.state;
  if (execution === null) return;
  const last = execution.stepExecutions.at(-1);
  const isRecorded = at !== 'after-step' || last === undefined || last.continuation === continuation;
  if (isRecorded && execution.continuation === continuation) return;
  const stepExecutions =
    at === 'after-step' && last
      ? [...execution.stepExecutions.slice(0, -1), { ...last, continuation }]
      : execution.stepExecutions;
  run.state = change(run.state, { execution: { ...execution, continuation, stepExecutions } }, run.env);
}

function evaluatedStep(run: Run, at: ContinuationEvaluation['at']): number {
  const finished = run.state.execution?.stepExecutions.length ?? 0;
  return at === 'before-step' ? finished + 1 : finished;
}

function continuationOf(state: AgentState): ExecutionContinuation {
  return state.execution?.continuation ?? { stopSignals: [], isContinuationRequested: false, overridden: [] };
}
