import { currentStep } from '../../graph/agent-state/accessors.ts';
import { placeOf } from '../../graph/messages-by-id.ts';
import { type Message, toolCalls } from '../../graph/message.ts';
import type { ModelSwitch } from '../../graph/inference-response.ts';
import type { AgentState } from '../../graph/types.ts';
import { memoize, memoizeGrowing } from '../../kit/memoize.ts';
import type { InferenceEvent, InferenceRequest } from '../../model/inference-client.ts';
import { commit, stateOf, emit, withCost } from '../run.ts';
import { cutResult } from '../tools/batch.ts';
import { receivedBytes, textBytes, sentBytes } from '../estimate-call.ts';
import type { Run } from '../slots.ts';
import type { Usage } from '../../graph/usage.ts';
import { type ReportedUsage, unreported, usageOfCall } from '../../graph/usage-of-call.ts';

type Event<Type extends InferenceEvent['type']> = Extract<InferenceEvent, { readonly type: Type }>;

/** Turns the stream of a client into events of the journal. */
export type Receiver = ReturnType<typeof createAnswerReceiver>;

/** The most switches of an answer that are kept; a proxy asks at most three models. */
const mostSwitches = 3;

/**
 * Creates a receiver. Parts are named by their position and calls get ids of ours, so repeated or missing
 * provider ids do no harm.
 * @param calledAt Monotonic time of the call that is answered.
 */
export function createAnswerReceiver(run: Run, calledAt: () => number) {
  const places = createPlaces();
  const ids = createCallIds(run);
  let start: Pick<Event<'start'>, 'id' | 'model'> = { id: null, model: null };
  let finish: Event<'finish'> | null = null;
  const switches: ModelSwitch[] = [];
  let firstDeltaAt: number | null = null;
  let hasBegun = false;
  /** Bytes of arguments of the unfinished calls. */
  const open = new Map<string, number>();

  function delta(event: Event<'text-delta' | 'reasoning-delta'>): void {
    const { type, delta: text, partId, providerMetadata } = event;
    const body = { type, partId: String(places.of(type, partId)), delta: text };
    commit(run, providerMetadata ? { ...body, providerMetadata } : body);
  }

  function toolCall({ toolCallId: wireId, toolName, input, providerMetadata }: Event<'tool-call'>): void {
    const toolCallId = ids.of(wireId);
    ids.end(wireId);
    open.delete(wireId);
    places.add();
    commit(run, {
      type: 'tool-call',
      toolCallId,
      toolName,
      input,
      providerCallId: takeProviderId(run, wireId),
      ...(providerMetadata ? { providerMetadata } : {}),
    });
  }

  function content(event: Exclude<InferenceEvent, Event<'start' | 'switch' | 'finish' | 'error'>>): void {
    // Providers begin with an empty delta; a call that fails after it can be repeated unnoticed.
    if (saysNothing(event)) return;
    if (firstDeltaAt === null) {
      firstDeltaAt = run.env.monotonic();
      commit(run, { type: 'first-delta', afterMs: firstDeltaAt - calledAt() });
    }
    switch (event.type) {
      case 'text-delta':
      case 'reasoning-delta':
        return delta(event);
      case 'tool-call-start':
        return commit(run, { ...event, toolCallId: ids.of(event.toolCallId) });
      case 'tool-call-delta':
        open.set(event.toolCallId, (open.get(event.toolCallId) ?? 0) + textBytes(event.delta));
        return emit(run, { ...event, toolCallId: ids.of(event.toolCallId) });
      case 'tool-call':
        return toolCall(event);
      case 'tool-elsewhere':
        return takeElsewhere(run, event, ids.endedCall(event.toolCallId));
      case 'file':
      case 'source':
        places.add();
        return takePart(run, event);
    }
  }

  return {
    start: () => start,
    finish: () => finish,
    /** The switches to other models before the answer. */
    switches: switches as readonly ModelSwitch[],
    /** Monotonic time of the first content; null before it. */
    firstDeltaAt: () => firstDeltaAt,
    /** True when an event of the answer has come. */
    hasBegun: () => hasBegun,
    /** Output so far in UTF-8 bytes, unfinished calls included. */
    bytes: () => outputBytes(run, open),
    take(event: InferenceEvent): void {
      hasBegun = true;
      if (event.type === 'start') start = { id: event.id, model: event.model };
      else if (event.type === 'finish') finish = event;
      else if (event.type === 'switch') takeSwitch(switches, event);
      else if (event.type !== 'error') content(event);
    },
  };
}

function outputBytes(run: Run, open: ReadonlyMap<string, number>): number {
  const parts = currentStep(stateOf(run))?.outputMessages[0]?.parts ?? [];
  return [...open.values()].reduce((sum, bytes) => sum + bytes, receivedBytes(parts));
}

function takeSwitch(switches: ModelSwitch[], { type: _type, ...told }: Event<'switch'>): void {
  if (switches.length < mostSwitches) switches.push(told);
}

function takePart(run: Run, part: Event<'file' | 'source'>): void {
  commit(run, part.type === 'file' ? { type: 'file', part } : { type: 'source', part });
}

/** Gives a call of this answer the result that it had elsewhere; a result of another call is dropped. */
function takeElsewhere(run: Run, event: Event<'tool-elsewhere'>, toolCallId: string | undefined): void {
  if (toolCallId === undefined) return;
  const { type, outcome, result } = event;
  commit(run, { type, toolCallId, outcome, result: cutResult(run, undefined, result) });
}

function saysNothing(event: InferenceEvent): boolean {
  const isText = event.type === 'text-delta' || event.type === 'reasoning-delta';
  return isText && event.delta === '' && event.providerMetadata === undefined;
}

/** Positions of the parts of an answer. A part without a name continues the last one of the same kind. */
function createPlaces() {
  const known = new Map<string, number>();
  let count = 0;
  let last: { type: string; partId: string | undefined; place: number } | null = null;
  return {
    of(type: string, partId: string | undefined): number {
      if (last !== null && last.type === type && last.partId === partId) return last.place;
      const key = `${type}:${partId}`;
      const place = (partId === undefined ? undefined : known.get(key)) ?? count++;
      known.set(key, place);
      last = { type, partId, place };
      return place;
    },
    add(): void {
      count++;
      last = null;
    },
  };
}

/** Maps provider ids to ours. A finished call frees its provider id for another call. */
function createCallIds(run: Run) {
  const begun = new Map<string, string>();
  const ended = new Map<string, string>();
  return {
    /** Our id of the last finished call of a provider id. */
    endedCall: (wireId: string) => ended.get(wireId),
    of(wireId: string): string {
      const id = begun.get(wireId) ?? run.env.id();
      begun.set(wireId, id);
      return id;
    },
    end(wireId: string): void {
      ended.set(wireId, begun.get(wireId) ?? '');
      begun.delete(wireId);
    },
  };
}

/** The provider's id when no other call of the session has it, else null. */
function takeProviderId(run: Run, wireId: string): string | null {
  if (wireId === '' || run.providerCallIds.has(wireId) || isTaken(stateOf(run), wireId)) return null;
  run.providerCallIds.add(wireId);
  return wireId;
}

/** The ids of the messages with a call of each provider id, in a list or in one that it continues. */
const holdersIn = memoize(
  memoizeGrowing<Message, Map<string, string[]>>((before, messages, from) => {
    const holders = before ?? new Map<string, string[]>();
    for (const message of messages.slice(from))
      for (const { providerCallId } of toolCalls(message)) {
        const ids = holders.get(providerCallId ?? '') ?? [];
        if (providerCallId && !ids.includes(message.id)) holders.set(providerCallId, [...ids, message.id]);
      }
    return holders;
  }),
);

function isTaken({ context }: AgentState, wireId: string): boolean {
  return context.store.sections.some(({ messages }) =>
    holdersIn(messages)
      .get(wireId)
      ?.some((id) => placeOf(messages, id) >= 0),
  );
}

/** The usage of a call with its cost. Impossible figures are replaced by estimates. */
export function usageOfAnswer(
  run: Run,
  wire: InferenceRequest,
  receiver: Receiver,
  reported: ReportedUsage,
): Usage {
  // The price is that of the model that answered.
  const asked = receiver.switches.at(-1)?.to ?? wire.model;
  const answer = { model: receiver.start().model, countIn: receiver.bytes, reported };
  return pricedUsage(run, asked === wire.model ? wire : { ...wire, model: asked }, answer);
}

/** The usage of a call of a model, which counts its output by itself where none is reported. */
export function pricedUsage(
  run: Run,
  wire: InferenceRequest,
  answer: { readonly model: string | null; readonly countIn: () => number; readonly reported: ReportedUsage },
): Usage {
  const { model, countIn, reported } = answer;
  const usage = usageOfCall(reported, { countOut: () => sentBytes(wire), countIn });
  return withCost(run, usage, [model, wire.model ?? run.agent.inference.defaultModel ?? null]);
}

/** Charges a call that broke off for its request and its output so far. */
export function chargeAnswer(
  run: Run,
  wire: InferenceRequest,
  receiver: Receiver,
  reason: 'failed' | 'aborted',
): Usage {
  const usage = usageOfAnswer(run, wire, receiver, unreported);
  commit(run, { type: 'usage-charge', reason, hook: null, usage });
  return usage;
}
