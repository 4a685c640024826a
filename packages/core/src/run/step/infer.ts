import { currentStep } from '../../graph/agent-state/accessors.ts';
import { AgentStopError, isAgentStopError } from '../../graph/agent-stop-error.ts';
import { of as signalOf } from '../../graph/stop-signal.ts';
import type { InferenceResponse } from '../../graph/inference-response.ts';
import { type Message, toolCalls } from '../../graph/message.ts';
import type { ModelPrice } from '../../graph/llm-config.ts';
import { isFree, type Usage } from '../../graph/usage.ts';
import { type ReportedUsage, unreported, usageOfCall } from '../../graph/usage-of-call.ts';
import { sleep } from '../../kit/async.ts';
import { AgentError, isAgentError, wireErrorCode } from '../../kit/agent-error.ts';
import type { InferenceEvent, InferenceRequest } from '../../model/inference-client.ts';
import type { Hold } from '../ledger.ts';
import { commit, isLeaseRevoked, priceFor, type Run, stateOf, emit, withCost, workKey } from '../run.ts';
import { runHooks, toErrorInfo } from '../run-hooks.ts';
import { receivedBytes, sentBytes, hasFiles, sentTextBytes, estimateCall } from '../estimate-call.ts';
import { askModel, hasLog, receive, refusedFiles } from './answer.ts';
import { createAnswerReceiver, type Receiver } from './receive.ts';
import { replacedBy, sentOf, withFiles, prepareRequest } from './prepare-request.ts';
import { withResultFiles, withWireIds } from './wire-messages.ts';
import type { Tool } from '../../agent/tool.ts';
import { hasToolCalls, responseText } from '../../graph/agent-step.ts';
import type { AgentEventOf } from '../events.ts';
import { isAskedAgain } from './structured-output.ts';
import type { RetryPolicy } from '../../agent/agent-definition.ts';

/** Longest `retry-after` of an upstream that a run respects. */
const maxRetryAfterMs = 60_000;

/** An answer, and the room that it holds until its usage is part of the spending. */
export type Inferred = { readonly response: InferenceResponse; readonly hold: Hold };

type Failure = {
  readonly error: unknown;
  readonly retryable: boolean;
  readonly retryAfterMs: number | null;
  /** True when deltas have arrived, so that the call cannot be repeated unnoticed. */
  readonly hasStarted: boolean;
  /** True when the answer was ended because its reader was away. */
  readonly wasUnread: boolean;
  /** The charged usage; null for a call that was refused before it began. */
  readonly usage: Usage | null;
  /** True when the failure comes from an effect log. */
  readonly isRecorded: boolean;
};

/**
 * Calls the model and streams its answer into the step in flight. Transient errors before the first delta
 * are retried. When the attempts are used up, the run stops with `retry-limit-reached`.
 */
export async function infer(run: Run, asked: AskedRequest): Promise<Inferred> {
  const { request } = asked;
  const { maxAttempts } = run.agent.retry;
  const wire = withWireIds(withResultFiles(await withFiles(run, request)));
  const price = await priceFor(run, wire.model ?? run.agent.inference.defaultModel ?? null);
  const before = interruptedCall(run, wire);
  const isPaidOnce = run.agent.inference.continuesAnswers === true;
  const isLogged = hasLog(run);
  const { attempt: first, isCharged } = firstCall(run, before);
  if (isCharged && !isPaidOnce) chargeInterrupted(run, before);
  for (let attempt = first; ; attempt++) {
    let hold = await holdRoom(run, wire, price);
    // A call that a reload interrupted keeps its id, so that a proxy which still streams the answer
    // continues it.
    const interrupted = attempt === first ? before : null;
    /** Charges the interrupted call when its answer is not recorded and the model has to be called again. */
    const prepareAgain = async (): Promise<void> => {
      if (!isLogged || isPaidOnce || interrupted === null || interrupted.owed === null) return;
      chargeInterrupted(run, interrupted);
      hold.settle(null);
      hold = await holdRoom(run, wire, price);
    };
    const call = { ...asked, wire, attempt, interrupted, prepareAgain };
    const outcome = await attemptInference(run, call).catch((thrown: unknown) => {
      hold.settle(null);
      throw thrown;
    });
    if (!('error' in outcome)) return { response: outcome, hold };
    // The proxy has no more of the answer whose first part it had given.
    if (attempt === first && isPaidOnce && outcome.usage === null && !outcome.isRecorded)
      chargeInterrupted(run, before);
    hold.settle(outcome.usage);
    // An interrupted answer that is no longer available is requested anew: its first half was shown before
    // the reload.
    const isNew = interrupted === null || outcome.isRecorded;
    // A reader who was away comes back to the part that came, and nobody has to ask for the rest.
    const isRepeated = !outcome.hasStarted || !isNew || (outcome.wasUnread && attempt < maxAttempts);
    if (!outcome.retryable || !isRepeated) throw outcome.error;
    if (attempt >= maxAttempts && isNew) giveUp(run, outcome.error, attempt);
    const wanted = Math.min(outcome.retryAfterMs ?? 0, maxRetryAfterMs);
    const delayMs = retryDelay(run.agent.retry, attempt, wanted, run.env.random);
    emit(run, { type: 'inference-retry', attempt, delayMs, error: toErrorInfo(run, outcome.error) });
    await sleep(delayMs, run.signal, run.env.schedule);
  }
}

/**
 * The attempt that continues an interrupted call, and whether that call is charged at once. With an effect log,
 * attempts go on where they were, and the call is charged only when its answer is not recorded.
 */
function firstCall(run: Run, before: InterruptedCall | null): { attempt: number; isCharged: boolean } {
  if (before === null) return { attempt: 1, isCharged: false };
  if (run.recording !== null) return run.recording.nextCall(run.path);
  return hasLog(run) ? { attempt: before.attempt, isCharged: false } : { attempt: 1, isCharged: true };
}

/** A call that a reload or a crash interrupted, and the usage that is not charged yet. */
type InterruptedCall = { readonly id: string; readonly attempt: number; readonly owed: Usage | null };

function interruptedCall(run: Run, wire: InferenceRequest): InterruptedCall | null {
  const step = currentStep(stateOf(run));
  if (step === null || step.sent === null) return null;
  const { inferenceId: id, isCharged, attempt = 1 } = step.sent;
  if (isCharged === true) return { id, attempt, owed: null };
  const countIn = (): number => step.outputMessages.reduce((sum, { parts }) => sum + receivedBytes(parts), 0);
  return { id, attempt, owed: pricedUsage(run, wire, { model: null, countIn, reported: unreported }) };
}

function chargeInterrupted(run: Run, call: InterruptedCall | null): void {
  const usage = call?.owed ?? null;
  if (usage !== null) commit(run, { type: 'usage-charge', reason: 'interrupted', hook: null, usage });
}

/** A request as its hooks left it. */
export type AskedRequest = {
  readonly request: InferenceRequest;
  /** The messages after the system prompt, when they are known as a list. */
  readonly conversation: readonly Message[] | null;
  /** The authors of the request besides the agent, as the journal tells them. */
  readonly authors: Pick<AgentEventOf<'inference-start'>, 'replaced' | 'contributors'>;
};

type ModelCall = AskedRequest & {
  /** The request as clients receive it. */
  readonly wire: InferenceRequest;
  readonly attempt: number;
  /** The call that a reload interrupted, which this one makes again. */
  readonly interrupted: InterruptedCall | null;
  readonly prepareAgain: () => Promise<void>;
};

async function attemptInference(run: Run, call: ModelCall): Promise<InferenceResponse | Failure> {
  const { request, conversation, authors, wire, attempt, interrupted } = call;
  const key = workKey(run, 'model', attempt);
  const messageId = run.env.id();
  const { sent, texts } = sentOf(run, request, conversation, interrupted?.id);
  const asked = attempt === 1 ? sent : { ...sent, attempt };
  let startedAt: number | null = null;
  /** Commits the start of the call, once. */
  const begin = (): void => {
    if (startedAt !== null) return;
    startedAt = run.env.monotonic();
    commit(run, { type: 'inference-start', key, attempt, messageId, sent: asked, texts, ...authors });
  };
  const answer = askModel(run, {
    ...call,
    key,
    inferenceId: sent.inferenceId,
    hasBegun: interrupted !== null,
    begin,
  });
  const receiver = createAnswerReceiver(run, () => startedAt ?? 0);
  const wasAborted = run.signal.aborted;
  /** True when this process pays for the answer, or has a part of it. */
  const isPaid = (): boolean => answer.isNew() || receiver.hasBegun();
  let failure: Failed;
  try {
    const failed = await receive(run, answer, receiver, begin);
    const finish = receiver.finish();
    if (failed === null && finish !== null)
      return responseOf(run, wire, { receiver, finish, startedAt: startedAt ?? 0 });
    failure = failed === null ? incomplete() : upstreamFailure(failed, wire);
  } catch (error) {
    if (isLeaseRevoked(error)) throw error;
    const isStopped = run.signal.aborted || isAgentStopError(error);
    const reason = run.signal.aborted ? 'aborted' : 'failed';
    if (isStopped && !wasAborted && isPaid()) charge(run, wire, receiver, reason);
    if (isAgentStopError(error)) throw error;
    if (run.signal.aborted) throw run.signal.reason;
    const retryable = isAgentError(error) && error.data['retryable'] === true;
    failure = { error, retryable, retryAfterMs: null, wasRefused: isFree(error), wasUnread: false };
  }
  const wasRefused = failure.wasRefused && receiver.firstDeltaAt() === null;
  const isRecorded = !answer.isNew();
  // A recorded failure may have been charged before the reload.
  const isUncharged = wasRefused || !isPaid() || (isRecorded && interrupted?.owed === null);
  const usage = isUncharged ? null : charge(run, wire, receiver, 'failed');
  return { ...failure, usage, isRecorded, hasStarted: receiver.firstDeltaAt() !== null };
}

function responseOf(
  run: Run,
  wire: InferenceRequest,
  answer: {
    readonly receiver: Receiver;
    readonly finish: NonNullable<ReturnType<Receiver['finish']>>;
    readonly startedAt: number;
  },
): InferenceResponse {
  const { receiver, finish, startedAt } = answer;
  const { id, model: named } = receiver.start();
  const model = named ?? wire.model;
  const firstDeltaAt = receiver.firstDeltaAt();
  return {
    id,
    model,
    finishReason: finish.finishReason,
    ...(finish.explanation === undefined ? {} : { explanation: finish.explanation }),
    ...(finish.skippedFrames === undefined ? {} : { skippedFrames: finish.skippedFrames }),
    usage: usageOf(run, wire, receiver, finish.usage),
    durationMs: run.env.monotonic() - startedAt,
    firstDeltaMs: firstDeltaAt === null ? null : firstDeltaAt - startedAt,
  };
}

/** The usage of a call with its cost. Impossible figures are replaced by estimates. */
function usageOf(run: Run, wire: InferenceRequest, receiver: Receiver, reported: ReportedUsage): Usage {
  return pricedUsage(run, wire, { model: receiver.start().model, countIn: receiver.bytes, reported });
}

function pricedUsage(
  run: Run,
  wire: InferenceRequest,
  {
    model,
    countIn,
    reported,
  }: { readonly model: string | null; readonly countIn: () => number; readonly reported: ReportedUsage },
): Usage {
  const usage = usageOfCall(reported, { countOut: () => sentBytes(wire), countIn });
  return withCost(run, usage, [model, wire.model ?? run.agent.inference.defaultModel ?? null]);
}

/** Charges an interrupted call for its request and its output so far. */
function charge(run: Run, wire: InferenceRequest, receiver: Receiver, reason: 'failed' | 'aborted'): Usage {
  const usage = usageOf(run, wire, receiver, unreported);
  commit(run, { type: 'usage-charge', reason, hook: null, usage });
  return usage;
}

type Failed = Pick<Failure, 'error' | 'retryable' | 'retryAfterMs' | 'wasUnread'> & {
  /** True when the call was not sent or was refused. Nothing was spent unless part of an answer came. */
  readonly wasRefused: boolean;
};

function upstreamFailure(
  event: Extract<InferenceEvent, { type: 'error' }>,
  { messages }: InferenceRequest,
): Failed {
  const { code, message, retryable, retryAfterMs, wasUnread = false } = event;
  const said = `${message}${refusedFiles(code, messages)}`;
  const error = new AgentError(wireErrorCode(code), said, { data: { retryable, retryAfterMs } });
  return { error, retryable, retryAfterMs, wasRefused: isFree(event), wasUnread };
}

function incomplete(): Failed {
  const message = 'The answer broke off: the stream ended without saying that it was finished.';
  const error = new AgentError('stream-incomplete', message, { data: { retryable: true } });
  return { error, retryable: true, retryAfterMs: null, wasRefused: false, wasUnread: false };
}

function giveUp(run: Run, thrown: unknown, attempts: number): never {
  const error = toErrorInfo(run, thrown);
  commit(run, { type: 'error-record', error });
  const message = `Gave up after ${attempts} attempts: ${error.message}`;
  const context = { attempts, code: error.code };
  throw new AgentStopError(signalOf('retry-limit-reached', { message, context, source: 'retry' }, run.env));
}

/** Prepares and makes the model call of the step in flight. @returns the tools that the call offered. */
export async function callModel(run: Run): Promise<readonly Tool[]> {
  const { request: prepared, conversation, tools, contributors } = await prepareRequest(run);
  const { request = prepared, author: hook } = await runHooks(run, 'before-inference', { request: prepared });
  const known = request.messages === prepared.messages ? conversation : null;
  const authors = {
    ...(contributors.length === 0 ? {} : { contributors }),
    ...(hook === null ? {} : replacedBy(run, hook, prepared, request)),
  };
  const { response: received, hold } = await infer(run, { request, conversation: known, authors });
  let kept = received;
  let replacer: string | null = null;
  try {
    const { response = received, author } = await runHooks(run, 'after-inference', { response: received });
    if (response !== received) [kept, replacer] = [response, author];
  } finally {
    // When a hook throws, the received response is kept.
    try {
      const { inferenceId = '' } = currentStep(stateOf(run))?.sent ?? {};
      const { toolTrace } = run.agent;
      const author = replacer === null ? {} : { hook: replacer };
      commit(run, {
        type: 'inference-end',
        inferenceId,
        response: kept,
        toolTrace,
        ...author,
        ...callLimit(run, kept),
      });
    } finally {
      // The usage is now part of the spending, so waiting calls are tried at once.
      hold.settle(kept.usage);
    }
  }
  assertContent(run, kept);
  return tools;
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
  if (isAskedAgain(run, step)) return;
  if (finishReason === 'length') {
    throw new AgentError(
      'output-truncated',
      'The model used up its output limit before it said anything. Raise maxOutputTokens, or lower the reasoning effort.',
    );
  }
  const data = { finishReason, ...(explanation === undefined ? {} : { explanation }) };
  const filtered = 'The model ended because a content filter held back its answer.';
  if (finishReason === 'content-filter') throw new AgentError('content-filtered', filtered, { data });
  // Some providers have reasons of their own, such as Gemini's unexpected tool call.
  const isFailed = finishReason === 'error' || (finishReason === 'other' && explanation !== undefined);
  const failed = `The model ended without an answer: ${explanation ?? 'its provider does not say why'}`;
  if (isFailed) throw new AgentError('inference-failed', failed, { data });
}

/**
 * Bytes of the shortest request whose ratio is measured. In shorter ones the provider's own additions weigh
 * too much.
 */
const leastMeasured = 4096;

/** Waits for room for one model call in the budget of this agent and of those above it. */
async function holdRoom(run: Run, request: InferenceRequest, price: ModelPrice | null): Promise<Hold> {
  const { ledger, signal } = run;
  if (!ledger.isLimited) return ledger.hold({ tokens: null, cost: null }, signal);
  const requestBytes = sentBytes(request);
  const textBytes = sentTextBytes(request);
  const limit = request.settings['maxOutputTokens'];
  const estimate = (): ReturnType<typeof estimateCall> =>
    estimateCall({
      requestBytes,
      textBytes,
      maxOutputTokens: typeof limit === 'number' && limit > 0 ? limit : null,
      largestOutput: ledger.largestOutput(),
      tokensPerByte: ledger.tokensPerByte(),
      price,
    });
  const hold = await ledger.hold(estimate, signal);
  return {
    settle(usage) {
      const isMeasure = textBytes >= leastMeasured && !hasFiles(request);
      if (isMeasure && usage !== null && usage.isEstimated !== true)
        ledger.recordMeasure(textBytes, usage.inputTokens);
      hold.settle(usage);
    },
  };
}

/**
 * Milliseconds to wait before the next attempt. The delay doubles with "equal jitter" (half fixed, half
 * random), so that clients that failed together do not return together. It is never shorter than the
 * upstream asked for.
 */
export function retryDelay(
  policy: RetryPolicy,
  attempt: number,
  retryAfterMs: number,
  random: () => number = Math.random,
): number {
  const ceiling = Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** (attempt - 1));
  return Math.max(retryAfterMs, ceiling / 2 + (random() * ceiling) / 2);
}
