import { AgentStopError } from '../../graph/agent-stop-error.ts';
import type { StopSignal } from '../../graph/stop-signal.ts';
import type { ErrorInfo } from '../../graph/error-info.ts';
import type { InferenceResponse } from '../../graph/inference-response.ts';
import { AgentError, wireErrorCode } from '../../kit/agent-error.ts';
import type { InferenceEvent } from '../../model/inference-client.ts';
import type { AgentChange } from '../../run/events.ts';
import type { HookQuestion, Perform } from '../../run/run.ts';
import type { ReplayScheduler } from './replay-scheduler.ts';

/** Number of calls answered from a recording. */
export type Answered = { modelCalls: number; toolCalls: number };

/** Answers models and tools from the recording, each in its turn; neither is ever called. */
export function recordedAnswers(
  events: readonly AgentChange[],
  scheduler: Pick<ReplayScheduler, 'turn' | 'begun' | 'untilAbort' | 'place' | 'isOver' | 'diverge'>,
  counted: Answered,
): Perform {
  const given = new Set<number>();
  const perform = (key: string, work: () => unknown, asked?: HookQuestion): unknown => {
    if (asked !== undefined) {
      const at = events.findIndex(
        (event, index) =>
          event.type === 'usage-charge' &&
          event.key === key &&
          index >= scheduler.place() &&
          !given.has(index),
      );
      if (at < 0) return unrecorded(key, asked, scheduler);
      given.add(at);
      counted.modelCalls++;
      return hookAnswer(events, at, scheduler);
    }
    const at = scheduler.begun(key);
    const event = at === undefined ? undefined : events[at];
    // The output of a person is only validated here.
    if (at === undefined || event === undefined) return work();
    if (event.type === 'inference-start') {
      counted.modelCalls++;
      return modelAnswer(events, at, scheduler);
    }
    counted.toolCalls++;
    return toolAnswer(events, at, scheduler);
  };
  return perform as Perform;
}

/**
 * Rejects a model call of a hook that the recording does not hold: the recording breaks off before it, or the hook has
 * changed.
 */
function unrecorded(
  key: string,
  { hook, input }: HookQuestion,
  { isOver, diverge, untilAbort }: Pick<ReplayScheduler, 'isOver' | 'diverge' | 'untilAbort'>,
): Promise<never> {
  // In the key, the step follows the calls that lead to the agent.
  const path = key
    .slice(0, key.lastIndexOf(`/hook/${hook}/`))
    .split('/')
    .slice(0, -1);
  const found = { path: '', recorded: null, now: input };
  if (!isOver()) diverge({ path }, `what hook ${JSON.stringify(hook)} asks a model`, found);
  return untilAbort();
}

/** The recorded result of a hook's model call. */
async function hookAnswer(
  events: readonly AgentChange[],
  at: number,
  { turn }: Pick<ReplayScheduler, 'turn'>,
): Promise<unknown> {
  await turn(at);
  const event = events[at];
  if (event?.type === 'usage-charge' && 'result' in event) return event.result;
  throw new AgentError('inference-failed', 'The recorded call of the hook gave no answer.');
}

async function* modelAnswer(
  events: readonly AgentChange[],
  at: number,
  { turn, untilAbort }: Pick<ReplayScheduler, 'turn' | 'untilAbort'>,
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
  // The run was aborted, or the recording does not show how it continued.
  const thrown = end === null ? null : failureAt(events, behindCharge(events, end));
  if (end === null || thrown === null) return void (await untilAbort());
  await turn(end);
  throw thrown;
}

/** The deltas of an answer, and the event that ended it. */
function partsOf(events: readonly AgentChange[], at: number): { parts: number[]; end: number | null } {
  const agent = events[at]?.path.join('/');
  const parts: number[] = [];
  for (let index = at + 1; index < events.length; index++) {
    const event = events[index] as AgentChange;
    if (event.path.join('/') !== agent) continue;
    if (streamed(event) !== null) parts.push(index);
    else if (ends.has(event.type) && !isOfHook(event)) return { parts, end: index };
  }
  return { parts, end: null };
}

/** True for a hook's model call, which may come between the last delta of an answer and its end. */
function isOfHook(event: AgentChange): boolean {
  return event.type === 'usage-charge' && event.hook !== null;
}

/** Index of the end of an interrupted call, which follows its charge. */
function behindCharge(events: readonly AgentChange[], end: number): number {
  if (events[end]?.type !== 'usage-charge') return end;
  return partsOf(events, end).end ?? end;
}

const ends: ReadonlySet<string> = new Set([
  'usage-charge',
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

/** The error of a call without an answer; null when it was aborted. */
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
  { turn, untilAbort }: Pick<ReplayScheduler, 'turn' | 'untilAbort'>,
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

/** The next signal of the same agent. */
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
