import { withContinuationRequested } from '../graph/execution-continuation.ts';
import { of as signalOf } from '../graph/stop-signal.ts';
import type { HookPoint } from '../agent/hook.ts';
import { withSection } from '../graph/message-store.ts';
import { currentStep, pendingApprovals, stepCount, stopSignal } from '../graph/agent-state/accessors.ts';
import { changeContext, changeExecution } from '../graph/agent-state/change.ts';
import {
  terminalStatus,
  withExecutionStatus,
  withStopSignal,
} from '../graph/agent-state/execution-transitions.ts';
import type { AgentState } from '../graph/types.ts';
import { beginExecution } from './begin-execution.ts';
import { shouldStopHere } from './check.ts';
import { effectiveLlmConfig } from './step/prepare-request.ts';
import { recordFailure } from './record-failure.ts';
import { type DriveOptions, emit, type Run, secondsOf } from './run.ts';
import { runHooks } from './run-hooks.ts';
import { beginStep, continueStep, runStep } from './step/run-step.ts';
import { linkedAbort } from './run-signal.ts';

/** Runs an agent until its execution ends or waits for the user. Never rejects for a fault of the agent. */
export async function drive(options: DriveOptions): Promise<AgentState> {
  const { agent, env, state } = options;
  const secondsBefore = secondsOf(state);
  const abort = linkedAbort({ signal: options.signal, budget: options.budget, secondsBefore, env });
  const run: Run = {
    ...options,
    hooks: agent.hooks,
    signal: abort.signal,
    abort: abort.abort,
    drive,
    startedMonotonic: env.monotonic(),
    secondsBefore,
    stepStartedMonotonic: env.monotonic(),
    isInStep: false,
  };
  try {
    const isResumed = beginExecution(run);
    emit(run, { type: 'execution-start', isResumed, model: effectiveLlmConfig(run)?.model ?? null });
    if (!isResumed) await hooksAt(run, 'before-execution');
    if (await runSteps(run, isResumed)) return pause(run);
    return await finish(run);
  } finally {
    abort.release();
  }
}

/** @returns true when the run waits for the user. */
async function runSteps(run: Run, isResumed: boolean): Promise<boolean> {
  if (isResumed && currentStep(run.state) !== null) {
    if (await continueStep(run)) return true;
    if (shouldStopHere(run, 'after-step')) return false;
    await run.checkpoint(run.state);
  } else if (isResumed && stepCount(run.state) > 0 && shouldStopHere(run, 'resume')) {
    return false;
  }
  while (await beginStep(run)) {
    if (await runStep(run)) return true;
    if (shouldStopHere(run, 'after-step')) return false;
    await run.checkpoint(run.state);
  }
  return false;
}

function pause(run: Run): AgentState {
  const toolCallIds = pendingApprovals(run.state).map((execution) => execution.toolCall.id);
  emit(run, { type: 'execution-pause', toolCallIds });
  return run.state;
}

async function finish(run: Run): Promise<AgentState> {
  await hooksAt(run, 'on-stop');
  await hooksAt(run, 'after-execution');
  const { env } = run;
  // The end is decided: a request to go on comes too late.
  run.state = changeExecution(
    run.state,
    (execution) => ({ ...execution, continuation: withContinuationRequested(execution.continuation, false) }),
    env,
  );
  if (stopSignal(run.state) === null)
    run.state = withStopSignal(run.state, signalOf('completed', {}, env), env);
  const winner = stopSignal(run.state);
  run.state = changeContext(
    run.state,
    { store: withSection(run.state.context.store, 'execution_buffer', []) },
    env,
  );
  const status = terminalStatus(winner);
  run.state = withExecutionStatus(run.state, status, env);
  emit(run, { type: 'execution-end', status, stopReason: winner?.reason ?? null, stopSignal: winner });
  return run.state;
}

async function hooksAt(run: Run, point: HookPoint): Promise<void> {
  try {
    await runHooks(run, point);
  } catch (thrown) {
    await recordFailure(run, thrown);
  }
}
