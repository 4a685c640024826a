import type { Tool } from '../../agent/tool.ts';
import { currentStep } from '../../graph/agent-state/accessors.ts';
import { hasToolCalls, responseText } from '../../graph/agent-step.ts';
import { AgentStopError, isAgentStopError } from '../../graph/agent-stop-error.ts';
import { highestSignal } from '../../graph/execution-continuation.ts';
import type { InferenceResponse } from '../../graph/inference-response.ts';
import { toolCalls } from '../../graph/message.ts';
import type { Usage } from '../../graph/usage.ts';
import { AgentError } from '../../kit/agent-error.ts';
import { decideStop } from '../decide.ts';
import type { AgentEventOf } from '../events.ts';
import type { Hold } from '../ledger.ts';
import { recordFailure, showPoint, toErrorInfo } from '../record-failure.ts';
import { asleep, commit, stateOf, stretchFrom, workedMs } from '../run.ts';
import type { Answer, Run } from '../slots.ts';
import { endOpenCalls, runTools } from '../tools/run-tools.ts';
import { modelSource } from './ask-model.ts';
import { prepareRequest, prepareTools } from './prepare-request.ts';

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
    // Plugins are asked again, because they may bring the tools of the waiting calls.
    return runTools(run, run.signal.aborted ? [] : await prepareTools(run));
  });
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

/** Prepares and makes the model call of the step in flight. @returns the tools that the call offered. */
async function callModel(run: Run): Promise<readonly Tool[]> {
  const { request, conversation, tools, authors } = await prepareRequest(run);
  const rooms = new Set<Hold>();
  // The usage is part of the spending with the commit of the answer, so waiting calls are tried at once.
  let spent: Usage | null = null;
  try {
    const answer = await run.slots.askModel({
      request,
      conversation,
      authors,
      wire: request,
      price: null,
      attempt: 1,
      interrupted: null,
      prepareAgain: () => Promise.resolve(false),
      asked: { model: false },
      layers: [],
      source: modelSource(run),
      rooms,
    });
    spent = answer.response.usage;
    keepAnswer(run, answer);
    if (answer.failed !== undefined) throw answer.failed.thrown;
    assertContent(run, answer.response);
  } finally {
    rooms.forEach((room) => room.settle(spent));
  }
  return tools;
}

function keepAnswer(run: Run, { response, author }: Answer): void {
  const { inferenceId = '' } = currentStep(stateOf(run))?.sent ?? {};
  const { toolTrace } = run.agent;
  const hook = author === undefined ? {} : { hook: author };
  const limit = callLimit(run, response);
  commit(run, { type: 'inference-end', inferenceId, response, toolTrace, ...hook, ...limit });
}

/**
 * The limit that applies when one answer makes more calls than `maxToolCalls`, or breaks off in a call: what a server
 * closes at the output limit is whole JSON, and still not what the model meant.
 */
function callLimit(
  run: Run,
  { finishReason }: InferenceResponse,
): Pick<AgentEventOf<'inference-end'>, 'callLimit'> {
  const { maxToolCalls: most } = run.agent;
  const [message] = currentStep(stateOf(run))?.outputMessages ?? [];
  const count = message === undefined ? 0 : toolCalls(message).length;
  if (count > most) {
    const text = `This call was not run: one answer may make ${most} tool calls, and this one made ${count}. Make fewer at once.`;
    const error = new AgentError('tool-calls-exceeded', text, { data: { most, count } });
    return { callLimit: { most, error: toErrorInfo(run, error) } };
  }
  if (finishReason !== 'length' || message?.parts.at(-1)?.type !== 'tool-call') return {};
  const text =
    'This call was not run: the answer reached its output limit in the middle of it, so its arguments are cut. Write less, or make several calls.';
  const error = toErrorInfo(run, new AgentError('output-truncated', text));
  return { callLimit: { most: count - 1, error } };
}

/** Throws for an answer that is empty because it was cut off: that is a failure and no end. */
function assertContent(run: Run, { finishReason, explanation }: InferenceResponse): void {
  const step = currentStep(stateOf(run));
  if (step === null || hasToolCalls(step) || responseText(step).trim() !== '') return;
  if (run.slots.acceptsEmpty(step)) return;
  if (finishReason === 'length') {
    const message =
      'The model used up its output limit before it said anything. Raise maxOutputTokens, or lower the reasoning effort.';
    throw new AgentError('output-truncated', message);
  }
  const data = { finishReason, ...(explanation && { explanation }) };
  const filtered = 'The model ended because a content filter held back its answer.';
  if (finishReason === 'content-filter') throw new AgentError('content-filtered', filtered, { data });
  // Some providers have reasons of their own, such as Gemini's unexpected tool call.
  const isFailed = finishReason === 'error' || (finishReason === 'other' && explanation !== undefined);
  const failed = `The model ended without an answer: ${explanation ?? 'its provider does not say why'}`;
  if (isFailed) throw new AgentError('inference-failed', failed, { data });
}
