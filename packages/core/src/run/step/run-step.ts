import { currentStep } from '../../graph/agent-state/accessors.ts';
import { of as stepOf, type as stepType } from '../../graph/agent-step.ts';
import { changeExecution } from '../../graph/agent-state/change.ts';
import {
  withCurrentStep,
  withCurrentStepCompleted,
  withStreamingStep,
} from '../../graph/agent-state/step-transitions.ts';
import { requested } from '../../graph/tool-execution.ts';
import { withExecutionContinued } from '../../graph/agent-state/execution-transitions.ts';
import { toolCalls } from '../../graph/message.ts';
import type { AgentStep } from '../../graph/types.ts';
import type { Tool } from '../../agent/tool.ts';
import { shouldStopHere } from '../check.ts';
import { infer } from './infer.ts';
import { prepareRequest } from './prepare-request.ts';
import { recordFailure } from '../record-failure.ts';
import { emit, type Run } from '../run.ts';
import { runHooks } from '../run-hooks.ts';
import { runTools } from '../tools/run-tools.ts';
import { withResults } from '../tools/settle-calls.ts';
import { checkOutput } from './structured-output.ts';

/** Runs the hooks before a step and asks whether it may run. */
export async function beginStep(run: Run): Promise<boolean> {
  run.stepStartedMonotonic = run.env.monotonic();
  run.isInStep = true;
  run.state = changeExecution(
    run.state,
    (execution) => ({ ...execution, currentStepStartedAt: run.env.now() }),
    run.env,
  );
  try {
    await runHooks(run, 'before-step');
  } catch (thrown) {
    await recordFailure(run, thrown);
  }
  if (!shouldStopHere(run, 'before-step')) return true;
  run.isInStep = false;
  // A step that never ran leaves no trace, even when a hook has prepared it.
  run.state = changeExecution(
    run.state,
    (execution) => ({ ...execution, currentStep: null, currentStepStartedAt: null }),
    run.env,
  );
  return false;
}

/** Runs one step to its end. @returns true when it waits for the user instead. */
export async function runStep(run: Run): Promise<boolean> {
  run.state = withStreamingStep(run.state, currentStep(run.state) ?? stepOf({}, run.env), run.env);
  emit(run, { type: 'step-start' });
  return settleStep(run, async () => {
    const tools = await callModel(run);
    return runTools(run, tools);
  });
}

/** Goes on with a step whose tools were not done. @returns true when it still waits for the user. */
export async function continueStep(run: Run): Promise<boolean> {
  run.stepStartedMonotonic = run.env.monotonic();
  run.isInStep = true;
  return settleStep(run, async () => {
    // Plugins may bring the tools of the waiting calls, so they are asked again.
    const { tools } = await prepareRequest(run);
    return runTools(run, tools);
  });
}

async function settleStep(run: Run, work: () => Promise<boolean>): Promise<boolean> {
  try {
    if (await work()) return true;
  } catch (thrown) {
    await recordFailure(run, thrown);
  }
  await completeStep(run);
  return false;
}

async function callModel(run: Run): Promise<readonly Tool[]> {
  const { request: prepared, conversation, tools } = await prepareRequest(run);
  const { request = prepared } = await runHooks(run, 'before-inference', { request: prepared });
  const inputMessages =
    request === prepared ? conversation : request.messages.filter((message) => message.role !== 'system');
  updateStep(run, (step) => ({ ...step, inputMessages }));
  const answer = await infer(run, request);
  emit(run, { type: 'inference-end', response: answer.response });
  if (answer.response.usage.totalTokens > 0)
    emit(run, { type: 'usage-report', usage: answer.response.usage });
  const calls = toolCalls(answer.message);
  const toolExecutions = calls.map((call) =>
    requested({ id: call.toolCallId, name: call.toolName, input: call.input }, run.env),
  );
  updateStep(run, (step) => ({
    ...step,
    inferenceResponse: answer.response,
    outputMessages: answer.message.parts.length === 0 ? [] : [answer.message],
    toolExecutions,
  }));
  placeStep(run);
  const { response = answer.response } = await runHooks(run, 'after-inference', {
    response: answer.response,
  });
  if (response !== answer.response) updateStep(run, (step) => ({ ...step, inferenceResponse: response }));
  return tools;
}

/** Gives every call its result, puts the messages into the store, archives the step and runs the hooks after it. */
async function completeStep(run: Run): Promise<void> {
  const { env } = run;
  updateStep(run, (step) => withResults(step, env));
  placeStep(run);
  const step = currentStep(run.state);
  const durationMs = env.monotonic() - run.stepStartedMonotonic;
  // A request made during the step is for the check after it, so archiving must not swallow it.
  const isRequested = run.state.execution?.continuation.isContinuationRequested === true;
  run.state = withCurrentStepCompleted(run.state, env, { durationMs });
  if (isRequested) run.state = withExecutionContinued(run.state, env);
  run.isInStep = false;
  if (step !== null) emitStepEnd(run, step, durationMs);
  await checkOutput(run);
  try {
    await runHooks(run, 'after-step');
  } catch (thrown) {
    await recordFailure(run, thrown);
  }
}

function emitStepEnd(run: Run, step: AgentStep, durationMs: number): void {
  // The step has been archived, so the count of steps is its number.
  const stepNumber = run.state.execution?.stepExecutions.length ?? 0;
  emit(run, { type: 'step-end', step, stepType: stepType(step), durationMs }, stepNumber);
}

function updateStep(run: Run, update: (step: AgentStep) => AgentStep): void {
  const step = currentStep(run.state);
  if (step !== null) run.state = withStreamingStep(run.state, update(step), run.env);
}

function placeStep(run: Run): void {
  const step = currentStep(run.state);
  if (step !== null)
    run.state = withCurrentStep(run.state, step, run.env, { toolTrace: run.agent.toolTrace });
}
