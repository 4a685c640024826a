import { withContinuationRequested, withStopSignal as addStopSignal } from '../execution-continuation.ts';
import { wasForceStopped } from '../stop-reason.ts';
import { of as signalOf, type StopSignal } from '../stop-signal.ts';
import { type Env, systemEnv } from '../env.ts';
import { type ErrorInfo, errorInfo, ownErrorInfo } from '../error-info.ts';
import { stopSignal } from './accessors.ts';
import { changeExecution } from './change.ts';
import { isFinished } from '../execution-state.ts';
import { withCurrentStepCompleted } from './step-transitions.ts';
import type { AgentState, ExecutionState, ExecutionStatus } from '../types.ts';

/** Adds a stop signal. */
export function withStopSignal(state: AgentState, signal: StopSignal, env: Env = systemEnv): AgentState {
  return changeExecution(
    state,
    (execution) => ({ ...execution, continuation: addStopSignal(execution.continuation, signal) }),
    env,
  );
}

/** Requests a continuation: at the next check it consumes the signals against it. */
export function withExecutionContinued(state: AgentState, env: Env = systemEnv): AgentState {
  return changeExecution(
    state,
    (execution) => withContinuation(execution, withContinuationRequested(execution.continuation)),
    env,
  );
}

/** Sets the status of the execution. One that ends gets its time; an idle state gets a pending execution first. */
export function withExecutionStatus(
  state: AgentState,
  status: ExecutionStatus,
  env: Env = systemEnv,
): AgentState {
  return changeExecution(
    state,
    (execution) => {
      if (execution.status === status) return execution;
      if (status === 'pending' || status === 'in-progress')
        return { ...execution, status, completedAt: null };
      return { ...execution, status, completedAt: env.now() };
    },
    env,
  );
}

/** Records an error in the step in flight, or outside any step. It does not decide about the run. */
export function withError(state: AgentState, given: ErrorInfo, env: Env = systemEnv): AgentState {
  const error = ownErrorInfo(given);
  return changeExecution(
    state,
    (execution) => {
      const step = execution.currentStep;
      if (step === null) return { ...execution, errors: [...execution.errors, error] };
      return { ...execution, currentStep: { ...step, errors: [...step.errors, error] } };
    },
    env,
  );
}

/**
 * Records a thrown value together with an `error-forbade` signal, and fails a run in progress. A pending execution
 * stays pending; the following run ends it as failed.
 */
export function withFailure(state: AgentState, thrown: unknown, env: Env = systemEnv): AgentState {
  const error = errorInfo(thrown);
  const recorded = withError(state, error, env);
  const signal = signalOf(
    'error-forbade',
    { message: error.message, source: error.name, context: { code: error.code } },
    env,
  );
  const signalled = withStopSignal(recorded, signal, env);
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

function withContinuation(
  execution: ExecutionState,
  continuation: ExecutionState['continuation'],
): ExecutionState {
  return continuation === execution.continuation ? execution : { ...execution, continuation };
}
