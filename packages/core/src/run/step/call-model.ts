import type { Tool } from '../../agent/tool.ts';
import { currentStep } from '../../graph/agent-state/accessors.ts';
import { hasToolCalls, responseText } from '../../graph/agent-step.ts';
import type { InferenceResponse } from '../../graph/inference-response.ts';
import { toolCalls } from '../../graph/message.ts';
import { AgentError } from '../../kit/agent-error.ts';
import type { AgentEventOf } from '../events.ts';
import { commit, type Run, stateOf } from '../run.ts';
import { runHooks } from '../run-hooks.ts';
import { toErrorInfo } from '../to-error-info.ts';
import { infer } from './infer.ts';
import { prepareRequest } from './prepare-request.ts';
import { isAskedAgain } from './structured-output.ts';

/** Prepares and makes the model call of the step in flight. @returns the tools that the call offered. */
export async function callModel(run: Run): Promise<readonly Tool[]> {
  const { request: prepared, conversation, tools } = await prepareRequest(run);
  const { request = prepared } = await runHooks(run, 'before-inference', { request: prepared });
  const known = request.messages === prepared.messages ? conversation : null;
  const { response: received, hold } = await infer(run, request, known);
  let kept = received;
  try {
    kept = (await runHooks(run, 'after-inference', { response: received })).response ?? received;
  } finally {
    // When a hook throws, the received response is kept.
    try {
      const { inferenceId = '' } = currentStep(stateOf(run))?.sent ?? {};
      const { toolTrace } = run.agent;
      commit(run, { type: 'inference-end', inferenceId, response: kept, toolTrace, ...callLimit(run) });
    } finally {
      // The usage is now part of the spending, so waiting calls are tried at once.
      hold.settle(kept.usage);
    }
  }
  assertContent(run, kept);
  return tools;
}

/** The limit that applies when one answer makes more calls than `maxToolCalls`. */
function callLimit(run: Run): Pick<AgentEventOf<'inference-end'>, 'callLimit'> {
  const { maxToolCalls: most } = run.agent;
  const [message] = currentStep(stateOf(run))?.outputMessages ?? [];
  const count = message === undefined ? 0 : toolCalls(message).length;
  if (count <= most) return {};
  const text = `This call was not run: one answer may make ${most} tool calls, and this one made ${count}. Make fewer at once.`;
  const error = toErrorInfo(run, new AgentError('tool-calls-exceeded', text, { data: { most, count } }));
  return { callLimit: { most, error } };
}

/** Throws for an answer that is empty because it was cut off: that is a failure and no end. */
function assertContent(run: Run, { finishReason, explanation }: InferenceResponse): void {
  const step = currentStep(stateOf(run));
  if (step === null || hasToolCalls(step) || responseText(step).trim() !== '') return;
  if (isAskedAgain(run, step)) return;
  if (finishReason === 'length') {
    throw new AgentError(
      'output-truncated',
      'The model used up its output limit before it said anything. Raise maxOutputTokens, or lower the reasoning effort.',
    );
  }
  if (finishReason !== 'error' && finishReason !== 'content-filter') return;
  const why =
    finishReason === 'error'
      ? 'with an error and without an answer'
      : 'because a content filter held back its answer';
  throw new AgentError('content-filtered', `The model ended ${why}.`, {
    data: { finishReason, ...(explanation === undefined ? {} : { explanation }) },
  });
}
