import { currentStep } from '../../graph/agent-state/accessors.ts';
import { AgentStopError, isAgentStopError } from '../../graph/agent-stop-error.ts';
import type { InferenceResponse } from '../../graph/inference-response.ts';
import { withCost } from '../../graph/llm-config.ts';
import { of as signalOf } from '../../graph/stop-signal.ts';
import { untilAborted } from '../../kit/abort.ts';
import { AgentError, isAgentError, wireErrorCode } from '../../kit/agent-error.ts';
import { sleep } from '../../kit/sleep.ts';
import type { InferenceEvent, InferenceRequest } from '../../model/inference-client.ts';
import { normalizeInferenceEvent } from '../../model/normalize-inference-event.ts';
import type { Hold } from '../ledger.ts';
import { commit, LeaseRevoked, type Run, stateOf, tell, workKey } from '../run.ts';
import { toErrorInfo } from '../to-error-info.ts';
import { holdRoom } from './hold-room.ts';
import { effectiveLlmConfig } from './prepare-request.ts';
import { createReceiver, type Receiver } from './receive.ts';
import { retryDelay } from './retry-delay.ts';
import { sentOf } from './sent-of.ts';
import { withFiles } from './with-files.ts';
import { withWireIds } from './wire-messages.ts';

/** Longest `retry-after` of an upstream that a run waits for. */
const maxRetryAfterMs = 60_000;

/** An answer, and the room that it holds until its usage is part of what is spent. */
export type Inferred = { readonly response: InferenceResponse; readonly hold: Hold };

type Failure = {
  readonly error: unknown;
  readonly retryable: boolean;
  readonly retryAfterMs: number | null;
  /** Deltas have arrived, so that the call cannot be repeated unseen. */
  readonly hasStarted: boolean;
};

/**
 * Calls the model and streams its answer into the step in flight. Transient failures before the first delta are
 * retried; when the attempts are used up the run stops with `retry-limit-reached`.
 */
export async function infer(run: Run, request: InferenceRequest): Promise<Inferred> {
  const { maxAttempts } = run.agent.retry;
  const wire = withWireIds(await withFiles(run, request));
  for (let attempt = 1; ; attempt++) {
    const hold = await holdRoom(run, wire);
    // A call that a reload interrupted is made again as the same one: a proxy that still streams its answer goes on with it.
    const interrupted = attempt === 1 ? currentStep(stateOf(run))?.sent?.inferenceId : undefined;
    const call = { request, wire, attempt, interrupted };
    const outcome = await attemptInference(run, call).catch((thrown: unknown) => {
      hold.settle(null);
      throw thrown;
    });
    if (!('error' in outcome)) return { response: outcome, hold };
    hold.settle(null);
    // An answer of before that nobody has whole any more is asked for anew: its half was shown before the reload.
    const isNew = interrupted === undefined;
    if (!outcome.retryable || (outcome.hasStarted && isNew)) throw outcome.error;
    if (attempt >= maxAttempts && isNew) giveUp(run, outcome.error, attempt);
    const wanted = Math.min(outcome.retryAfterMs ?? 0, maxRetryAfterMs);
    const delayMs = retryDelay(run.agent.retry, attempt, wanted, run.env.random);
    tell(run, { type: 'inference-retry', attempt, delayMs, error: toErrorInfo(run, outcome.error) });
    await sleep(delayMs, run.signal, run.env.schedule);
  }
}

type ModelCall = {
  readonly request: InferenceRequest;
  /** The request as clients see it. */
  readonly wire: InferenceRequest;
  readonly attempt: number;
  /** The id of the call that a reload interrupted. */
  readonly interrupted: string | undefined;
};

async function attemptInference(
  run: Run,
  { request, wire, attempt, interrupted }: ModelCall,
): Promise<InferenceResponse | Failure> {
  const key = workKey(run, 'model', attempt);
  const messageId = run.env.id();
  const { sent, texts } = sentOf(run, request, interrupted);
  commit(run, { type: 'inference-start', key, attempt, messageId, sent, texts });
  const startedAt = run.env.monotonic();
  const receiver = createReceiver(run);
  try {
    const stream = run.perform(key, () =>
      run.agent.inference.stream(wire, { signal: run.signal, inferenceId: sent.inferenceId }),
    );
    const failed = await receive(run, stream, receiver);
    if (failed !== null) return upstreamFailure(failed, receiver);
  } catch (error) {
    if (isAgentStopError(error) || error instanceof LeaseRevoked) throw error;
    if (run.signal.aborted) throw run.signal.reason;
    const retryable = isAgentError(error) && error.data['retryable'] === true;
    return { error, retryable, retryAfterMs: null, hasStarted: receiver.firstDeltaAt() !== null };
  }
  const finish = receiver.finish();
  if (finish === null) return incomplete(receiver);
  const { id, model: named } = receiver.start();
  const model = named ?? request.model;
  const firstDeltaAt = receiver.firstDeltaAt();
  const config = effectiveLlmConfig(run);
  // Providers answer with longer names than they are called by, which the table of prices need not have.
  const priced = withCost(withCost(finish.usage, model, config), request.model, config);
  return {
    id,
    model,
    finishReason: finish.finishReason,
    ...(finish.explanation === undefined ? {} : { explanation: finish.explanation }),
    usage: priced,
    durationMs: run.env.monotonic() - startedAt,
    firstDeltaMs: firstDeltaAt === null ? null : firstDeltaAt - startedAt,
  };
}

/** @returns the error that the stream told of, or null. */
async function receive(
  run: Run,
  stream: AsyncIterable<unknown>,
  receiver: Receiver,
): Promise<Extract<InferenceEvent, { type: 'error' }> | null> {
  for await (const raw of untilAborted(stream, run.signal)) {
    const event = normalizeInferenceEvent(raw);
    if (event === null) continue;
    if (event.type === 'error') return event;
    receiver.take(event);
    if (receiver.finish() !== null) break;
  }
  return null;
}

function upstreamFailure(event: Extract<InferenceEvent, { type: 'error' }>, receiver: Receiver): Failure {
  const { code, message, retryable, retryAfterMs } = event;
  const error = new AgentError(wireErrorCode(code), message, { data: { retryable, retryAfterMs } });
  return { error, retryable, retryAfterMs, hasStarted: receiver.firstDeltaAt() !== null };
}

function incomplete(receiver: Receiver): Failure {
  const message = 'The answer broke off: the stream ended without saying that it was finished.';
  const error = new AgentError('stream-incomplete', message, { data: { retryable: true } });
  return { error, retryable: true, retryAfterMs: null, hasStarted: receiver.firstDeltaAt() !== null };
}

function giveUp(run: Run, thrown: unknown, attempts: number): never {
  const error = toErrorInfo(run, thrown);
  commit(run, { type: 'error-record', error });
  const message = `Gave up after ${attempts} attempts: ${error.message}`;
  const context = { attempts, code: error.code };
  throw new AgentStopError(signalOf('retry-limit-reached', { message, context, source: 'retry' }, run.env));
}
