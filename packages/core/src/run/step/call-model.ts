import { currentStep } from '../../graph/agent-state/accessors.ts';
import { hasToolCalls, responseText } from '../../graph/agent-step.ts';
import type { InferenceResponse } from '../../graph/inference-response.ts';
import { toolCalls } from '../../graph/message.ts';
import type { Usage } from '../../graph/usage.ts';
import { AgentError } from '../../kit/agent-error.ts';
import type { Tool } from '../../agent/tool.ts';
import type { AgentEventOf } from '../events.ts';
import type { Hold } from '../ledger.ts';
import { commit, stateOf } from '../run.ts';
import { toErrorInfo } from '../record-failure.ts';
import { modelSource } from './ask-model.ts';
import { prepareRequest } from './prepare-request.ts';
import type { Answer, Run } from '../slots.ts';

/** Prepares and makes the model call of the step in flight. @returns the tools that the call offered. */
export async function callModel(run: Run): Promise<readonly Tool[]> {
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
  if (count <= most && finishReason === 'length' && message?.parts.at(-1)?.type === 'tool-call')
    return cutCall(run, count);
  if (count <= most) return {};
  const text = `This call was not run: one answer may make ${most} tool calls, and this one made ${count}. Make fewer at once.`;
  const error = toErrorInfo(run, new AgentError('tool-calls-exceeded', text, { data: { most, count } }));
  return { callLimit: { most, error } };
}

function cutCall(run: Run, count: number): Pick<AgentEventOf<'inference-end'>, 'callLimit'> {
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
