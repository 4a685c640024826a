import type { InferenceClient, InferenceEvent, InferenceRequest, ModelPrice, Usage } from '@vitrine/core';
import { causeOf } from '../kit/cause-of.ts';
import { readUpstream, type UpstreamRead } from './read-upstream.ts';
import { type ErrorEvent, streamErrors } from './stream-errors.ts';
import type { StreamLimits } from './stream-limits.ts';
import { countStream, hasContent, type StreamCount, type StreamReport } from './stream-report.ts';

export type ModelCall = {
  readonly client: InferenceClient;
  readonly request: InferenceRequest;
  /** The most usage, for the report of a call whose usage stays unknown. */
  readonly expected: Usage;
  /** The price of the model's tokens; null when it is unknown. */
  readonly price: ModelPrice | null;
};

/** The event of the wire that tells a switch of models. */
export type SwitchEvent = Extract<InferenceEvent, { type: 'switch' }>;

/** Failures by which another model is asked: they say nothing about the request. */
const switching: ReadonlySet<string> = new Set([
  'upstream-rate-limited',
  'upstream-unavailable',
  'upstream-unreachable',
  'upstream-timeout',
  'upstream-quota-exhausted',
  'upstream-unknown-model',
]);

export type ModelCallsInit = ModelCall & {
  readonly id: string;
  readonly ownerId: string | null;
  /** The calls that take the place of the first one, in their order, while nothing has been said. Default: none. */
  readonly others?: readonly ModelCall[];
  /** A switch that was made before this inference, which readers are told first. Default: none. */
  readonly switched?: SwitchEvent | null;
  readonly limits: StreamLimits;
  /** Receives the size of every event. */
  readonly onGrow: (bytes: number) => void;
  /** Receives the report of a call that another one replaces. */
  readonly onSwitch?: (report: StreamReport, call: ModelCall, told: SwitchEvent) => void;
};

type Stream = Pick<UpstreamRead, 'signal' | 'room'> & {
  /** The reason for which the stream was ended; null while it was not. */
  readonly stopped: () => ErrorEvent | null;
  readonly write: (data: string) => void;
};

type Produced = {
  readonly last: InferenceEvent;
  readonly call: ModelCall;
  readonly count: StreamCount;
  /** The error with which the client failed; null for none. */
  readonly thrown: () => unknown;
};

/**
 * Makes the calls of one answer: the first one, and while nothing has been said the next one after a failure that says
 * nothing about the request. Events before the first content are held, so that an answer has the start of one model.
 */
export function createModelCalls(
  init: ModelCallsInit,
  { signal, room, stopped, write }: Stream,
): () => Promise<Produced> {
  const { limits } = init;
  const later = [...(init.others ?? [])];
  const beganAt = performance.now();
  let call: ModelCall = init;
  let count = countStream(init);
  /** Events before the first content of a call that may be replaced; null when they are written at once. */
  let held: string[] | null = later.length > 0 ? [] : null;
  let thrown: unknown = null;

  /** Writes an event. Returns the event that ends the call, or null when more may follow. */
  function take(event: InferenceEvent): InferenceEvent | null {
    const data = toJson(event);
    if (data === null) return streamErrors.unwritable;
    const tooMuch = tooMuchOf(data.length, count.characters(), limits);
    if (tooMuch !== null) return tooMuch;
    count.note(event, data.length);
    init.onGrow(data.length);
    if (event.type === 'finish' || event.type === 'error') return event;
    if (held !== null && !hasContent(event)) {
      held.push(data);
      return null;
    }
    writeHeld();
    write(data);
    return null;
  }

  function writeHeld(): void {
    const before = held;
    held = null;
    before?.forEach(write);
  }

  function ask(): Promise<InferenceEvent> {
    const asked = call;
    // An error after the stop only results from stopping.
    const onError = (error: unknown): void => {
      if (stopped() === null && asked === call) thrown = error;
    };
    const read = { limits, signal, room, take };
    return askModel(call, read, { mayGiveUp: () => held !== null, onError, stopped });
  }

  function switchTo(next: ModelCall, code: string): void {
    const [from, to] = [call.request.model, next.request.model];
    const afterMs = Math.round(performance.now() - beganAt);
    const told: SwitchEvent = { type: 'switch', from, to, code, afterMs };
    const cause = thrown === null ? null : causeOf(thrown);
    init.onSwitch?.(count.report({ outcome: 'failed', code, cause, thrown }), call, told);
    call = next;
    count = countStream({ ...init, ...next });
    held = later.length > 0 ? [] : null;
    thrown = null;
    write(JSON.stringify(told));
  }

  return async () => {
    if (init.switched) write(JSON.stringify(init.switched));
    for (;;) {
      const last = await ask();
      const mayGoOn = held !== null && stopped() === null && last.type === 'error';
      const next = mayGoOn && switching.has(last.code) ? later.shift() : undefined;
      if (next === undefined || last.type !== 'error') {
        writeHeld();
        return { last, call, count, thrown: () => thrown };
      }
      switchTo(next, last.code);
    }
  };
}

/** Asks one model, and gives up when it says nothing for too long. Resolves with the event that ends the call. */
async function askModel(
  { client, request }: ModelCall,
  read: Omit<UpstreamRead, 'limits'> & { readonly limits: StreamLimits },
  call: {
    /** True while another model may be asked instead. */
    readonly mayGiveUp: () => boolean;
    readonly onError: (error: unknown) => void;
    readonly stopped: Stream['stopped'];
  },
): Promise<InferenceEvent> {
  const own = new AbortController();
  const { firstTokenMs } = read.limits;
  let late: InferenceEvent | null = null;
  const giveUp = (): void => {
    if (!call.mayGiveUp()) return;
    late = read.take(streamErrors.silent(firstTokenMs));
    own.abort();
  };
  const timer = call.mayGiveUp() ? setTimeout(giveUp, firstTokenMs) : undefined;
  const signal = timer === undefined ? read.signal : AbortSignal.any([read.signal, own.signal]);
  try {
    const events = client.stream(request, { signal, onError: call.onError });
    const last = await readUpstream(events, { ...read, signal });
    return last ?? late ?? call.stopped() ?? streamErrors.incomplete;
  } catch (error) {
    call.onError(error);
    return late ?? call.stopped() ?? streamErrors.callFailed;
  } finally {
    clearTimeout(timer);
    // This also ends an upstream that has failed but does not close.
    if (call.mayGiveUp()) own.abort();
  }
}

/** The error of an event that is larger than the limits allow; null for none. */
function tooMuchOf(
  size: number,
  before: number,
  { frameBytes, streamBytes }: StreamLimits,
): ErrorEvent | null {
  if (size > frameBytes) return streamErrors.frameTooLarge(frameBytes);
  return before + size > streamBytes ? streamErrors.tooLong(streamBytes) : null;
}

/** The event as JSON; null when it is nested too deeply. */
function toJson(event: InferenceEvent): string | null {
  try {
    return JSON.stringify(event);
  } catch {
    return null;
  }
}
