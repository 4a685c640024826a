import { AgentStopError, isAgentStopError } from '../../graph/agent-stop-error.ts';
import { of as signalOf } from '../../graph/stop-signal.ts';
import { withCost } from '../../graph/llm-config.ts';
import { sleep } from '../../kit/sleep.ts';
import { AgentError, isAgentError } from '../../kit/agent-error.ts';
import { errorInfo } from '../../graph/error-info.ts';
import type { InferenceEvent, InferenceRequest } from '../../model/inference-client.ts';
import type { InferenceResponse } from '../../graph/inference-response.ts';
import type { Message } from '../../graph/message.ts';
import { currentStep } from '../../graph/agent-state/accessors.ts';
import { withError } from '../../graph/agent-state/execution-transitions.ts';
import { withStreamingStep } from '../../graph/agent-state/step-transitions.ts';
import { untilAborted } from '../../kit/abort.ts';
import { type Answer, emptyAnswer, withEvent } from './answer.ts';
import { effectiveLlmConfig } from './prepare-request.ts';
import { retryDelay } from './retry-delay.ts';
import { emit, type Run } from '../run.ts';

/** Longest `retry-after` of an upstream that a run waits for. */
const maxRetryAfterMs = 60_000;

/**
 * Calls the model and streams its answer into the step in flight. Transient failures before the first delta are
 * retried; when the attempts are used up the run stops with `retry-limit-reached`.
 */
export async function infer(
  run: Run,
  request: InferenceRequest,
): Promise<{ response: InferenceResponse; message: Message }> {
  const { maxAttempts } = run.agent.retry;
  for (let attempt = 1; ; attempt++) {
    emit(run, { type: 'inference-start', request, attempt });
    const failure = await attemptInference(run, request);
    if ('response' in failure) return failure;
    if (!failure.retryable || failure.hasStarted) throw failure.error;
    if (attempt >= maxAttempts) giveUp(run, failure.error, attempt);
    const delayMs = retryDelay(
      run.agent.retry,
      attempt,
      Math.min(failure.retryAfterMs ?? 0, maxRetryAfterMs),
    );
    emit(run, { type: 'inference-retry', attempt, delayMs, error: errorInfo(failure.error) });
    await sleep(delayMs, run.signal);
  }
}

type Failure = {
  readonly error: unknown;
  readonly retryable: boolean;
  readonly retryAfterMs: number | null;
  /** Deltas have arrived, so that the call cannot be repeated unseen. */
  readonly hasStarted: boolean;
};

async function attemptInference(
  run: Run,
  request: InferenceRequest,
): Promise<{ response: InferenceResponse; message: Message } | Failure> {
  const startedAt = run.env.monotonic();
  let firstDeltaMs: number | null = null;
  let chunkIndex = 0;
  let answer = emptyAnswer(run.env);
  const hasStarted = (): boolean => firstDeltaMs !== null;
  try {
    for await (const event of untilAborted(
      run.agent.inference.stream(request, { signal: run.signal }),
      run.signal,
    )) {
      if (event.type === 'error') return upstreamFailure(event, hasStarted());
      const next = withEvent(answer, event);
      if (next === answer && isDelta(event)) continue;
      if (next.message !== answer.message) {
        firstDeltaMs ??= run.env.monotonic() - startedAt;
        showPartial(run, next);
      }
      answer = next;
      const index = event.type === 'text-delta' || event.type === 'reasoning-delta' ? chunkIndex++ : 0;
      emitDelta(run, event, index);
      if (answer.finish !== null) break;
    }
  } catch (error) {
    if (isAgentStopError(error)) throw error;
    if (run.signal.aborted) throw run.signal.reason;
    return {
      error,
      retryable: isAgentError(error) && error.data['retryable'] === true,
      retryAfterMs: null,
      hasStarted: hasStarted(),
    };
  }
  if (answer.finish === null) return incomplete(hasStarted());
  const { reason, usage } = answer.finish;
  const model = answer.model ?? request.model;
  const response: InferenceResponse = {
    id: answer.id,
    model,
    finishReason: reason,
    usage: withCost(usage, model, effectiveLlmConfig(run)),
    durationMs: run.env.monotonic() - startedAt,
    firstDeltaMs,
  };
  return { response, message: answer.message };
}

function isDelta(event: InferenceEvent): boolean {
  return event.type === 'text-delta' || event.type === 'reasoning-delta';
}

function showPartial(run: Run, { message }: Answer): void {
  const step = currentStep(run.state);
  if (step !== null)
    run.state = withStreamingStep(run.state, { ...step, outputMessages: [message] }, run.env);
}

function emitDelta(run: Run, event: InferenceEvent, chunkIndex: number): void {
  switch (event.type) {
    case 'text-delta':
    case 'reasoning-delta':
      return emit(run, { type: event.type, delta: event.delta, chunkIndex });
    case 'tool-call-start':
    case 'tool-call-delta':
    case 'tool-call':
      return emit(run, event);
    default:
  }
}

function upstreamFailure(event: Extract<InferenceEvent, { type: 'error' }>, hasStarted: boolean): Failure {
  const { code, message, retryable, retryAfterMs } = event;
  const error = new AgentError(code, message, { data: { retryable, retryAfterMs } });
  return { error, retryable, retryAfterMs, hasStarted };
}

function incomplete(hasStarted: boolean): Failure {
  const message = 'The answer broke off: the stream ended without saying that it was finished.';
  const error = new AgentError('stream-incomplete', message, { data: { retryable: true } });
  return { error, retryable: true, retryAfterMs: null, hasStarted };
}

function giveUp(run: Run, error: unknown, attempts: number): never {
  const info = errorInfo(error);
  run.state = withError(run.state, info, run.env);
  emit(run, { type: 'error-record', error: info });
  const message = `Gave up after ${attempts} attempts: ${info.message}`;
  throw new AgentStopError(
    signalOf(
      'retry-limit-reached',
      { message, context: { attempts, code: info.code }, source: 'retry' },
      run.env,
    ),
  );
}
