import { ToolQuestion } from '@vitrine/core/internal/agent/tool-question';
import { AgentStopError } from '@vitrine/core/internal/graph/agent-stop-error';
import { type ErrorInfo, of as errorInfo } from '@vitrine/core/internal/graph/error-info';
import { AgentError, wireErrorCode } from '@vitrine/core/internal/kit/agent-error';
import type { InferenceEvent } from '@vitrine/core/internal/model/inference-client';
import type { AgentChange } from '@vitrine/core/internal/run/events';
import type { ModelPrice } from '@vitrine/core/internal/graph/llm-config';
import type { JsonValue } from '@vitrine/core/internal/kit/json';
import type { Effect, EffectLog } from '@vitrine/core/internal/run/effect-log';
import type { Outcome } from '@vitrine/core/internal/run/perform-call';
import { recordedDecisions } from './recorded-decisions.ts';
import type { ReplayJournal } from './replay-journal.ts';
import type { Recording, RecordedChanges } from '@vitrine/core/internal/run/slots';

export type Answered = { modelCalls: number; toolCalls: number };

/** Answers models, tools and prices from the recording by the key of their work; none of them is ever called. */
export function recordedAnswers(
  journal: ReplayJournal,
  counted: Answered,
): { readonly effects: EffectLog; readonly recording: Recording } {
  const given = new Set<number>();
  const nextOfKey = (type: 'usage-charge' | 'price-record', key: string): number => {
    const at = journal.events.findIndex(
      (event, index) =>
        event.type === type && event.key === key && index >= journal.place && !given.has(index),
    );
    if (at >= 0) given.add(at);
    return at;
  };
  function hookCall(effect: Effect): Promise<unknown> {
    const at = nextOfKey('usage-charge', effect.key);
    if (at < 0) return rejectUnrecorded(journal, effect);
    counted.modelCalls++;
    return hookAnswer(journal, at);
  }
  function toolCall(effect: Effect): Promise<unknown> {
    const at = journal.begun.get(effect.key);
    if (at === undefined) return journal.untilAbort();
    counted.toolCalls++;
    return toolAnswer(journal, at, effect);
  }
  const effects = {
    perform: (effect: Effect) => (effect.kind === 'model' ? hookCall(effect) : toolCall(effect)),
    stream(effect: Effect) {
      counted.modelCalls++;
      return modelAnswer(journal, effect.key);
    },
    forget: () => Promise.resolve(),
  };
  return {
    effects: effects as EffectLog,
    recording: {
      ...recordedDecisions(journal),
      price: (key) => recordedPrice(journal, nextOfKey('price-record', key)),
    },
  };
}

/** Rejects a model call of a hook that the recording does not hold. */
function rejectUnrecorded(journal: ReplayJournal, { name, path, input }: Effect): Promise<never> {
  const found = { path: '', recorded: null, now: input };
  if (!journal.isOver) journal.diverge({ path }, `what hook ${JSON.stringify(name)} asks a model`, found);
  return journal.untilAbort();
}

/** The recorded result of a hook's model call. */
async function hookAnswer(journal: ReplayJournal, at: number): Promise<Outcome<JsonValue>> {
  await journal.turn(at);
  const event = journal.events[at];
  if (event?.type === 'usage-charge' && event.result !== undefined) return { value: event.result };
  const error = new AgentError('inference-failed', 'The recorded call of the hook gave no answer.');
  return { failed: errorInfo(error), stop: null };
}

/** The recorded price; undefined when the recording has none. */
async function recordedPrice(journal: ReplayJournal, at: number): Promise<ModelPrice | null | undefined> {
  const event = journal.events[at];
  if (event?.type !== 'price-record') return undefined;
  await journal.turn(at);
  return event.price;
}

async function* modelAnswer(journal: ReplayJournal, key: string): AsyncGenerator<InferenceEvent> {
  const { events } = journal;
  const at = journal.begun.get(key) ?? -1;
  const end = nextOf(events, at, isEnd);
  const last = events[end];
  const response = last?.type === 'inference-end' ? last.response : null;
  for (const told of response?.switches ?? []) yield { type: 'switch', ...told };
  yield { type: 'start', id: response?.id ?? null, model: response?.model ?? null };
  const agent = agentAt(events, at);
  for (let index = at + 1; index < (last === undefined ? events.length : end); index++) {
    const part = agentAt(events, index) === agent ? toInferenceEvent(events[index] as AgentChange) : null;
    if (part === null) continue;
    await journal.turn(index);
    yield part;
  }
  if (response !== null) {
    const { finishReason, usage } = response;
    // What was counted is counted again, also when it was nothing.
    yield { type: 'finish', finishReason, usage: { ...usage, isExact: true } };
    return;
  }
  // The run was aborted, or the recording does not show how it continued.
  const isAborted = last?.type === 'usage-charge' && last.reason === 'aborted';
  const thrown = last === undefined || isAborted ? null : failureAt(events, end);
  if (thrown === null) return void (await journal.untilAbort());
  await journal.turn(end);
  throw thrown;
}

/** Index of the next event of the same agent that passes the test; -1 for none. */
function nextOf(events: readonly AgentChange[], at: number, test: (event: AgentChange) => boolean): number {
  const agent = agentAt(events, at);
  return events.findIndex((event, index) => index > at && agentAt(events, index) === agent && test(event));
}

function agentAt(events: readonly AgentChange[], index: number): string | undefined {
  return events[index]?.path.join('/');
}

const ends: ReadonlySet<string> = new Set([
  'usage-charge',
  'inference-start',
  'inference-end',
  'error-record',
  'stop-signal',
  'step-end',
]);

/** True for the end of an answer. A hook's model call may come between the last delta and the end. */
function isEnd(event: AgentChange): boolean {
  return ends.has(event.type) && !(event.type === 'usage-charge' && event.hook !== null);
}

function toInferenceEvent(event: AgentChange): InferenceEvent | null {
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
    case 'tool-elsewhere':
      return { type: event.type, toolCallId: event.toolCallId, outcome: event.outcome, result: event.result };
    case 'file':
    case 'source':
      return event.part as InferenceEvent;
    default:
      return null;
  }
}

/** The error of a call that ended without an answer; null when it was aborted. */
function failureAt(events: readonly AgentChange[], end: number): unknown {
  // The end of an interrupted call follows its charge.
  const behind = events[end]?.type === 'usage-charge' ? nextOf(events, end, isEnd) : end;
  const at = behind < 0 ? end : behind;
  const event = events[at] as AgentChange;
  if (event.type === 'inference-start')
    return new AgentError('inference-failed', 'The recorded attempt failed.', { data: { retryable: true } });
  if (event.type === 'stop-signal') return new AgentStopError(event.signal);
  if (event.type !== 'error-record') return null;
  const isGivenUp = nextSignal(events, at)?.signal.reason === 'retry-limit-reached';
  return recordedError(event.error, { retryable: isGivenUp });
}

async function toolAnswer(
  journal: ReplayJournal,
  at: number,
  { hasBegun, effects }: Effect,
): Promise<Outcome<RecordedChanges & { readonly result: JsonValue }>> {
  const { events } = journal;
  const { toolCallId } = events[at] as Extract<AgentChange, { readonly type: 'tool-start' }>;
  const end = nextOf(events, at, (event) => endsAttempt(event) && event.toolCallId === toolCallId);
  const event = events[end];
  if (event?.type === 'approval-request') {
    await journal.turn(end);
    throw new ToolQuestion(event.reason ?? '', event.form ?? {});
  }
  if (event?.type !== 'tool-end') return journal.untilAbort();
  if (event.status === 'interrupted') {
    if (!hasBegun || effects !== 'once') return journal.untilAbort();
    await journal.turn(end);
    throw new AgentError('tool-interrupted', 'The recorded call has no outcome.');
  }
  await journal.turn(end);
  if (event.status === 'completed')
    return { value: { result: event.result ?? null, writes: [], events: [] } };
  const stop = event.status === 'stopped' ? (nextSignal(events, end)?.signal ?? null) : null;
  return { failed: event.error ?? errorInfo(new AgentError('tool-failed', 'It failed.')), stop };
}

type EndOfAttempt = Extract<AgentChange, { readonly type: 'tool-end' | 'approval-request' }>;

/** True for the end of a call, and for a question of the running tool, after which it is called again. */
function endsAttempt(event: AgentChange): event is EndOfAttempt {
  return event.type === 'tool-end' || (event.type === 'approval-request' && event.form !== undefined);
}

function nextSignal(
  events: readonly AgentChange[],
  at: number,
): Extract<AgentChange, { readonly type: 'stop-signal' }> | null {
  const found = events[nextOf(events, at, ({ type }) => type === 'stop-signal')];
  return found?.type === 'stop-signal' ? found : null;
}

function recordedError(error: ErrorInfo | null, data: { readonly retryable?: boolean }): AgentError {
  const { code, message } = error ?? { code: null, message: 'It failed.' };
  return new AgentError(wireErrorCode(code ?? 'tool-failed'), message, { data: { ...error?.data, ...data } });
}
