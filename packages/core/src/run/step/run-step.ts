import { currentStep } from '../../graph/agent-state/accessors.ts';
import { AgentStopError, isAgentStopError } from '../../graph/agent-stop-error.ts';
import { highestSignal } from '../../graph/execution-continuation.ts';
import type { Tool } from '../../agent/tool.ts';
import { decideStop } from '../decide.ts';
import { recordFailure, showPoint } from '../record-failure.ts';
import { commit, stateOf, asleep, stretchFrom, workedMs } from '../run.ts';
import { endOpenCalls, runTools } from '../tools/run-tools.ts';
import { callModel } from './call-model.ts';
import { prepareTools } from './prepare-request.ts';
import type { Run } from '../slots.ts';

/** Begins a step, runs its before-step hooks and decides whether it may run. A step that may not run is removed. */
export async function beginStep(run: Run): Promise<boolean> {
  // A step that was begun before a reload is begun again with the same id.
  if (currentStep(stateOf(run)) === null) {
    run.stretch = stretchFrom(run.env, 0);
    commit(run, { type: 'step-start', stepId: run.env.id() });
  }
  await showPoint(run, 'before-step');
  if (decideStop(run, 'before-step')) return false;
  run.slots.countStep(1);
  return true;
}

/** Runs one step to its end. @returns true when the step waits for a person. */
export async function runStep(run: Run): Promise<boolean> {
  return settleStep(run, async () => {
    const tools = await callModel(run);
    return run.slots.waitsAt('answer') || runTools(run, tools);
  });
}

/** Continues a step whose tools were not done. @returns true when the step still waits for a person. */
export async function continueStep(run: Run): Promise<boolean> {
  const { execution } = stateOf(run);
  const standing = execution === null ? null : highestSignal(execution.continuation);
  // A run that was stopped during its wait runs no more tools.
  if (standing !== null && execution?.continuation.isContinuationRequested === false)
    run.abort(new AgentStopError(standing));
  return settleStep(run, async () => {
    const isUntouched = execution?.currentStep?.toolExecutions.every(({ status }) => status === 'requested');
    if (isUntouched === true && run.slots.waitsAt('answer')) return true;
    return runTools(run, await toolsAgain(run));
  });
}

/** Asks the plugins again, because they may bring the tools of the waiting calls. */
async function toolsAgain(run: Run): Promise<readonly Tool[]> {
  return run.signal.aborted ? [] : prepareTools(run);
}

/** Ends a step whose answer was interrupted, as a stop in its middle does: the received part is kept. */
export async function breakOffStep(run: Run): Promise<void> {
  await settleStep(run, () => Promise.reject(run.signal.reason));
}

async function settleStep(run: Run, work: () => Promise<boolean>): Promise<boolean> {
  try {
    if ((await work()) || run.slots.waitsAt('end')) return true;
  } catch (thrown) {
    await recordFailure(run, thrown);
    if (wasRefusedRoom(run, thrown)) {
      run.slots.countStep(-1);
      decideStop(run, 'before-step');
      return false;
    }
    // Calls requested before the error still get an end.
    await endOpenCalls(run);
  }
  await completeStep(run);
  return false;
}

/** True when the budget had no room for the call. Neither the call nor its step began, so the start is taken back. */
function wasRefusedRoom(run: Run, thrown: unknown): boolean {
  if (run.signal.aborted || !isAgentStopError(thrown)) return false;
  if (thrown.signal.source !== 'budget' && thrown.signal.source !== 'session-budget') return false;
  return currentStep(stateOf(run))?.sent === null;
}

/** Archives the step with a message for every result. */
async function completeStep(run: Run): Promise<void> {
  await showPoint(run, 'after-step');
  const calls = currentStep(stateOf(run))?.toolExecutions ?? [];
  commit(run, {
    type: 'step-end',
    resultMessageIds: calls.map(() => run.env.id()),
    durationMs: workedMs(run),
    ...asleep(run),
    toolTrace: run.agent.toolTrace,
  });
  await run.slots.afterStep();
}
