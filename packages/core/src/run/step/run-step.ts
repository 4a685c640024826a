import { currentStep } from '../../graph/agent-state/accessors.ts';
import { AgentStopError, isAgentStopError } from '../../graph/agent-stop-error.ts';
import { highestSignal } from '../../graph/execution-continuation.ts';
import type { Tool } from '../../agent/tool.ts';
import { shouldStop } from '../decide.ts';
import { recordFailure } from '../record-failure.ts';
import { commit, type Run, stateOf } from '../run.ts';
import { runHooks } from '../run-hooks.ts';
import { endOpenCalls, runTools } from '../tools/run-tools.ts';
import { callModel } from './call-model.ts';
import { prepareRequest } from './prepare-request.ts';
import { checkOutput } from './structured-output.ts';

/** Starts a step, runs the hooks before it and asks whether it may run; one that may not leaves no trace. */
export async function beginStep(run: Run): Promise<boolean> {
  run.stepStartedAt = run.env.monotonic();
  // A step that was begun before a reload is begun again as the same one.
  if (currentStep(stateOf(run)) === null) commit(run, { type: 'step-start', stepId: run.env.id() });
  try {
    await runHooks(run, 'before-step');
  } catch (thrown) {
    await recordFailure(run, thrown);
  }
  return !shouldStop(run, 'before-step');
}

/** Runs one step to its end. @returns true when it waits for a person instead. */
export async function runStep(run: Run): Promise<boolean> {
  return settleStep(run, async () => runTools(run, await callModel(run)));
}

/** Goes on with a step whose tools were not done. @returns true when it still waits for a person. */
export async function continueStep(run: Run): Promise<boolean> {
  run.stepStartedAt = run.env.monotonic();
  const { execution } = stateOf(run);
  const standing = execution === null ? null : highestSignal(execution.continuation);
  // What was told to stop while it waited runs no tool any more.
  if (standing !== null && execution?.continuation.isContinuationRequested === false)
    run.abort(new AgentStopError(standing));
  return settleStep(run, async () => runTools(run, await toolsAgain(run)));
}

/** Plugins may bring the tools of the waiting calls, so they are asked again. */
async function toolsAgain(run: Run): Promise<readonly Tool[]> {
  return run.signal.aborted ? [] : (await prepareRequest(run)).tools;
}

async function settleStep(run: Run, work: () => Promise<boolean>): Promise<boolean> {
  try {
    if (await work()) return true;
  } catch (thrown) {
    await recordFailure(run, thrown);
    if (wasRefusedRoom(run, thrown)) {
      shouldStop(run, 'before-step');
      return false;
    }
    // Calls that were asked for before it broke off are not left without an end.
    await endOpenCalls(run);
  }
  await completeStep(run);
  return false;
}

/** A call that the budget has no room for never began, and neither did its step: its start is taken back. */
function wasRefusedRoom(run: Run, thrown: unknown): boolean {
  if (run.signal.aborted || !isAgentStopError(thrown) || thrown.signal.source !== 'budget') return false;
  return currentStep(stateOf(run))?.sent === null;
}

/** Runs the hooks after the step, archives it with a message for every result, and takes in what was said meanwhile. */
async function completeStep(run: Run): Promise<void> {
  try {
    await runHooks(run, 'after-step');
  } catch (thrown) {
    await recordFailure(run, thrown);
  }
  const calls = currentStep(stateOf(run))?.toolExecutions ?? [];
  commit(run, {
    type: 'step-end',
    resultMessageIds: calls.map(() => run.env.id()),
    durationMs: run.env.monotonic() - run.stepStartedAt,
    toolTrace: run.agent.toolTrace,
  });
  try {
    await checkOutput(run);
  } catch (thrown) {
    await recordFailure(run, thrown);
  }
  takeSteered(run);
}

/** What a person says during a run comes between two steps, and the run goes on to answer it. */
function takeSteered(run: Run): void {
  if (run.path.length > 0 || run.signal.aborted) return;
  const messages = run.takeSteered();
  for (const message of messages)
    commit(run, { type: 'message-add', source: 'user', section: 'messages', message });
  if (messages.length > 0) commit(run, { type: 'continuation-request', source: 'user' });
}
