import type { Tool } from '../../agent/tool.ts';
import { currentStep } from '../../graph/agent-state/accessors.ts';
import { hasToolCalls, responseText } from '../../graph/agent-step.ts';
import type { InferenceResponse } from '../../graph/inference-response.ts';
import { AgentError } from '../../kit/agent-error.ts';
import { commit, type Run, stateOf } from '../run.ts';
import { runHooks } from '../run-hooks.ts';
import { infer } from './infer.ts';
import { prepareRequest } from './prepare-request.ts';

/** Prepares and makes the model call of the step in flight. @returns the tools that it offered. */
export async function callModel(run: Run): Promise<readonly Tool[]> {
  const { request: prepared, tools } = await prepareRequest(run);
  const { request = prepared } = await runHooks(run, 'before-inference', { request: prepared });
  const { response: received, hold } = await infer(run, request);
  let kept = received;
  try {
    kept = (await runHooks(run, 'after-inference', { response: received })).response ?? received;
  } finally {
    // When a hook throws, the response that was received is kept.
    try {
      const { inferenceId = '' } = currentStep(stateOf(run))?.sent ?? {};
      commit(run, { type: 'inference-end', inferenceId, response: kept, toolTrace: run.agent.toolTrace });
    } finally {
      // Now the usage counts as spent; those who wait for room look at once.
      hold.settle(kept.usage);
    }
  }
  assertContent(run, kept);
  return tools;
}

/** An answer that is empty because something cut it off is a failure, not an end. */
function assertContent(run: Run, { finishReason, explanation }: InferenceResponse): void {
  const step = currentStep(stateOf(run));
  if (step === null || hasToolCalls(step) || responseText(step).trim() !== '') return;
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
