import { isAgentStopError } from '../../graph/agent-stop-error.ts';
import type { InferenceResponse } from '../../graph/inference-response.ts';
import type { Message } from '../../graph/message.ts';
import { isFree, none } from '../../graph/usage.ts';
import { AgentError, isAgentError, wireErrorCode } from '../../kit/agent-error.ts';
import { untilAborted } from '../../kit/async.ts';
import type { InferenceEvent, InferenceRequest } from '../../model/inference-client.ts';
import { normalizeInferenceEvent } from '../../model/normalize-inference-event.ts';
import { commit, isLeaseRevoked, stateOf, workKey } from '../run.ts';
import { sentOf } from './prepare-request.ts';
import { createAnswerReceiver, type Receiver, chargeAnswer, usageOfAnswer } from './receive.ts';
import {
  type Answer,
  type AnswerSource,
  CallFailed,
  type ModelCall,
  type OpenStream,
  type Source,
  type Run,
} from '../slots.ts';

/**
 * Asks the model once and streams its answer into the step in flight: the core of the layers around a call.
 * @throws CallFailed, an AgentStopError, or the reason of an abort
 */
export async function askModel(run: Run, call: ModelCall): Promise<Answer> {
  const { wire, interrupted } = call;
  const { source, begin, startedAt } = startCall(run, call);
  const receiver = createAnswerReceiver(run, startedAt);
  const wasAborted = run.signal.aborted;
  /** True when this process pays for the answer, or has a part of it. */
  const isPaid = (): boolean => (source.isNew() ? call.asked.model : receiver.hasBegun());
  let failure: Failed;
  try {
    const failed = await receive(run, source, receiver, begin);
    const finish = receiver.finish();
    if (failed === null && finish !== null)
      return {
        response: responseOf(run, wire, { ...call, source, receiver, finish, startedAt: startedAt() }),
      };
    failure = failed === null ? incomplete() : upstreamFailure(failed, wire);
  } catch (error) {
    if (isLeaseRevoked(error)) throw error;
    const isStopped = run.signal.aborted || isAgentStopError(error);
    const reason = run.signal.aborted ? 'aborted' : 'failed';
    if (isStopped && !wasAborted && isPaid()) chargeAnswer(run, wire, receiver, reason);
    if (isAgentStopError(error)) throw error;
    if (run.signal.aborted) throw run.signal.reason;
    const retryable = isAgentError(error) && error.data['retryable'] === true;
    failure = { error, retryable, retryAfterMs: null, wasRefused: isFree(error), wasUnread: false };
  }
  const hasStarted = receiver.firstDeltaAt() !== null;
  const isRecorded = !source.isNew();
  // A recorded failure may have been charged before the reload.
  const isUncharged =
    (failure.wasRefused && !hasStarted) || !isPaid() || (isRecorded && interrupted?.owed === null);
  const usage = isUncharged ? null : chargeAnswer(run, wire, receiver, 'failed');
  throw new CallFailed({ ...failure, usage, isRecorded, hasStarted });
}

/** Opens the answer of a call. Its start is committed when the model is asked, or when its record begins. */
function startCall(run: Run, call: ModelCall) {
  const { attempt, authors, interrupted, asked } = call;
  asked.model = false;
  const key = workKey(run, 'model', attempt);
  const messageId = run.env.id();
  const { sent: first, texts } = sentOf(run, call.request, call.conversation, interrupted?.id);
  const sent = attempt === 1 ? first : { ...first, attempt };
  let startedAt: number | null = null;
  const begin = (): void => {
    if (startedAt !== null) return;
    startedAt = run.env.monotonic();
    commit(run, { type: 'inference-start', key, attempt, messageId, sent, texts, ...authors });
  };
  const source = call.source(call, { key, inferenceId: sent.inferenceId, begin });
  /** The start by the monotonic clock; 0 before it. */
  return { source, begin, startedAt: (): number => startedAt ?? 0 };
}

/** The model of the agent as the source of answers. */
export function modelSource(run: Run): Source {
  return (call, { inferenceId, begin }) => {
    begin();
    return {
      events: () => streamOf(run, call, { wire: call.wire, inferenceId, signal: run.signal }),
      isNew: () => true,
      thrownBy: () => null,
      isReadOn: false,
    };
  };
}

/** The events of the model, through the layers around it. */
export function streamOf(
  run: Run,
  { layers, asked }: ModelCall,
  start: Parameters<OpenStream>[0],
): AsyncIterable<InferenceEvent> {
  const ask: OpenStream = ({ wire, inferenceId, signal }) => {
    asked.model = true;
    return run.agent.inference.stream(wire, { signal, inferenceId, agentId: stateOf(run).agentId });
  };
  return layers.reduceRight((inner, layer) => layer(inner), ask)(start);
}

/** Reads the stream. @returns the error event of the stream, or null. */
async function receive(
  run: Run,
  { events, thrownBy, isReadOn }: AnswerSource,
  receiver: Receiver,
  begin: () => void,
): Promise<Extract<InferenceEvent, { type: 'error' }> | null> {
  let failed: Extract<InferenceEvent, { type: 'error' }> | null = null;
  for await (const raw of untilAborted(events(), run.signal)) {
    // A recorded answer begins with its first event.
    begin();
    const event = normalizeInferenceEvent(raw);
    if (event === null) {
      const error = thrownBy(raw);
      if (error !== null) throw error.thrown;
      continue;
    }
    if (event.type === 'error') failed = event;
    else receiver.take(event);
    if (!isReadOn && (failed !== null || receiver.finish() !== null)) break;
  }
  begin();
  return failed;
}

function responseOf(
  run: Run,
  wire: InferenceRequest,
  answer: {
    readonly asked: ModelCall['asked'];
    readonly source: AnswerSource;
    readonly receiver: Receiver;
    readonly finish: NonNullable<ReturnType<Receiver['finish']>>;
    readonly startedAt: number;
  },
): InferenceResponse {
  const { asked, source, receiver, finish, startedAt } = answer;
  const { type: _type, usage, ...told } = finish;
  const { id, model: named } = receiver.start();
  const switches = receiver.switches;
  const model = named ?? switches.at(-1)?.to ?? wire.model;
  const firstDeltaAt = receiver.firstDeltaAt();
  return {
    id,
    model,
    ...told,
    ...(switches.length > 0 && { switches }),
    usage: source.isNew() && !asked.model ? none() : usageOfAnswer(run, wire, receiver, usage),
    durationMs: run.env.monotonic() - startedAt,
    firstDeltaMs: firstDeltaAt === null ? null : firstDeltaAt - startedAt,
  };
}

type Failed = Pick<CallFailed['call'], 'error' | 'retryable' | 'retryAfterMs' | 'wasUnread'> & {
  /** True when the call was not sent or was refused. Nothing was spent unless part of an answer came. */
  readonly wasRefused: boolean;
};

function upstreamFailure(
  event: Extract<InferenceEvent, { type: 'error' }>,
  { messages }: InferenceRequest,
): Failed {
  const { code, message, retryable, retryAfterMs, wasUnread = false } = event;
  const text = `${message}${refusedFiles(code, messages)}`;
  const error = new AgentError(wireErrorCode(code), text, { data: { retryable, retryAfterMs } });
  return { error, retryable, retryAfterMs, wasRefused: isFree(event), wasUnread };
}

/** Error codes of a request whose content the model or its provider does not take. */
const refusedContent: readonly string[] = ['upstream-invalid-request', 'request-not-supported'];

/** A sentence with the files of the person's last message, when they may be the cause of an error; empty otherwise. */
function refusedFiles(code: string, messages: readonly Message[]): string {
  if (!refusedContent.includes(code)) return '';
  const parts = messages.findLast(({ role }) => role === 'user')?.parts ?? [];
  const names = parts.flatMap((part) => (part.type === 'file' ? [part.filename ?? part.mediaType] : []));
  if (names.length === 0) return '';
  const listed = names
    .slice(0, 5)
    .map((name) => JSON.stringify(name))
    .join(', ');
  return ` It came with ${listed}: send the message without, or give the content in another format.`;
}

function incomplete(): Failed {
  const message = 'The answer broke off: the stream ended without saying that it was finished.';
  const error = new AgentError('stream-incomplete', message, { data: { retryable: true } });
  return { error, retryable: true, retryAfterMs: null, wasRefused: false, wasUnread: false };
}
