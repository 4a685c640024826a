import { AgentStopError } from '../../graph/agent-stop-error.ts';
import type { ErrorInfo } from '../../graph/error-info.ts';
import type { InferenceResponse } from '../../graph/inference-response.ts';
import type { StopSignal } from '../../graph/stop-signal.ts';
import { AgentError, wireErrorCode } from '../../kit/agent-error.ts';
import type { InferenceEvent } from '../../model/inference-client.ts';
import type { AgentChange } from '../../run/events.ts';
import type { Perform } from '../../run/run.ts';
import type { Course } from './course.ts';

/** How many calls were answered from a recording. */
export type Answered = { modelCalls: number; toolCalls: number };

/** Answers for model and tools out of the recording, each when its turn comes; neither is ever called. */
export function recordedAnswers(
  events: readonly AgentChange[],
  course: Pick<Course, 'turn' | 'begun' | 'untilAbort'>,
  counted: Answered,
): Perform {
  const perform = (key: string, work: () => unknown): unknown => {
    const at = course.begun(key);
    const event = at === undefined ? undefined : events[at];
    // What a person gave is only checked here.
    if (at === undefined || event === undefined) return work();
    if (event.type === 'inference-start') {
      counted.modelCalls++;
      return modelAnswer(events, at, course);
    }
    counted.toolCalls++;
    return toolAnswer(events, at, course);
  };
  return perform as Perform;
}

async function* modelAnswer(
  events: readonly AgentChange[],
  at: number,
  { turn, untilAbort }: Pick<Course, 'turn' | 'untilAbort'>,
): AsyncGenerator<InferenceEvent> {
  const { parts, end } = partsOf(events, at);
  const response = responseOf(events, end);
  yield { type: 'start', id: response?.id ?? null, model: response?.model ?? null };
  for (const index of parts) {
    await turn(index);
    const event = streamed(events[index] as AgentChange);
    if (event !== null) yield event;
  }
  if (response !== null) {
    const { finishReason, usage } = response;
    yield { type: 'finish', finishReason, usage };
    return;
  }
  // The run was aborted, or nobody knows how it went on.
  const thrown = end === null ? null : failureAt(events, end);
  if (end === null || thrown === null) return void (await untilAbort());
  await turn(end);
  throw thrown;
}

/** The events of an answer, and what came when it was over. */
function partsOf(events: readonly AgentChange[], at: number): { parts: number[]; end: number | null } {
  const agent = events[at]?.path.join('/');
  const parts: number[] = [];
  for (let index = at + 1; index < events.length; index++) {
    const event = events[index] as AgentChange;
    if (event.path.join('/') !== agent) continue;
    if (streamed(event) !== null) parts.push(index);
    else if (ends.has(event.type)) return { parts, end: index };
  }
  return { parts, end: null };
}

const ends: ReadonlySet<string> = new Set([
  'inference-start',
  'inference-end',
  'error-record',
  'stop-signal',
  'step-end',
]);

function streamed(event: AgentChange): InferenceEvent | null {
  switch (event.type) {
    case 'text-delta':
    case 'reasoning-delta': {
      const { type, partId, delta, providerMetadata } = event;
      return { type, partId, delta, ...(providerMetadata ? { providerMetadata } : {}) };
    }
    case 'tool-call-start':
      return { type: event.type, toolCallId: event.toolCallId, toolName: event.toolName };
    case 'tool-call': {
      const { type, toolCallId, toolName, input, providerMetadata } = event;
      return { type, toolCallId, toolName, input, ...(providerMetadata ? { providerMetadata } : {}) };
    }
    case 'file':
    case 'source':
      return event.part as InferenceEvent;
    default:
      return null;
  }
}

function responseOf(events: readonly AgentChange[], end: number | null): InferenceResponse | null {
  const event = end === null ? undefined : events[end];
  return event?.type === 'inference-end' ? event.response : null;
}

/** Why a call ended without an answer; null when it was aborted. */
function failureAt(events: readonly AgentChange[], end: number): unknown {
  const event = events[end] as AgentChange;
  if (event.type === 'inference-start')
    return new AgentError('inference-failed', 'The recorded attempt failed.', { data: { retryable: true } });
  if (event.type === 'stop-signal') return new AgentStopError(event.signal);
  if (event.type !== 'error-record') return null;
  const isGivenUp = nextSignal(events, end)?.reason === 'retry-limit-reached';
  return recordedError(event.error, { retryable: isGivenUp });
}

async function toolAnswer(
  events: readonly AgentChange[],
  at: number,
  { turn, untilAbort }: Pick<Course, 'turn' | 'untilAbort'>,
): Promise<unknown> {
  const { path, toolCallId } = events[at] as Extract<AgentChange, { readonly type: 'tool-start' }>;
  const agent = path.join('/');
  const end = events.findIndex(
    (event, index) =>
      index > at &&
      event.type === 'tool-end' &&
      event.toolCallId === toolCallId &&
      event.path.join('/') === agent,
  );
  const event = events[end];
  if (event?.type !== 'tool-end' || event.status === 'interrupted') return untilAbort();
  await turn(end);
  if (event.status === 'completed') return event.result;
  const signal = event.status === 'stopped' ? nextSignal(events, end) : null;
  throw signal ? new AgentStopError(signal) : recordedError(event.error, {});
}

/** The next signal of the agent that an event is about. */
function nextSignal(events: readonly AgentChange[], at: number): StopSignal | null {
  const agent = events[at]?.path.join('/');
  const found = events.find(
    (event, index) => index > at && event.type === 'stop-signal' && event.path.join('/') === agent,
  );
  return found?.type === 'stop-signal' ? found.signal : null;
}

function recordedError(error: ErrorInfo | null, data: { readonly retryable?: boolean }): AgentError {
  const { code, message } = error ?? { code: null, message: 'It failed.' };
  return new AgentError(wireErrorCode(code ?? 'tool-failed'), message, { data: { ...error?.data, ...data } });
}
