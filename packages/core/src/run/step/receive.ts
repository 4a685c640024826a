import { toolCalls } from '../../graph/message.ts';
import type { InferenceEvent } from '../../model/inference-client.ts';
import { commit, type Run, stateOf, tell } from '../run.ts';

type Event<Type extends InferenceEvent['type']> = Extract<InferenceEvent, { readonly type: Type }>;

/** Turns what a client streams into events of the journal. */
export type Receiver = {
  readonly take: (event: InferenceEvent) => void;
  readonly start: () => { readonly id: string | null; readonly model: string | null };
  readonly finish: () => Event<'finish'> | null;
  /** Monotonic time of the first content; null while there is none. */
  readonly firstDeltaAt: () => number | null;
};

/** Parts get their place as their name, and calls an id of ours: what a provider repeats or leaves out does no harm. */
export function createReceiver(run: Run): Receiver {
  const places = createPlaces();
  const ids = createCallIds(run);
  let start = { id: null as string | null, model: null as string | null };
  let finish: Event<'finish'> | null = null;
  let firstDeltaAt: number | null = null;

  function delta({
    type,
    delta: text,
    partId,
    providerMetadata,
  }: Event<'text-delta' | 'reasoning-delta'>): void {
    const body = { type, partId: String(places.of(type, partId)), delta: text };
    commit(run, providerMetadata ? { ...body, providerMetadata } : body);
  }

  function toolCall({ toolCallId: wireId, toolName, input, providerMetadata }: Event<'tool-call'>): void {
    const toolCallId = ids.of(wireId);
    ids.end(wireId);
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

  function content(event: Exclude<InferenceEvent, Event<'start' | 'finish' | 'error'>>): void {
    // Providers begin with an empty delta; a call that fails behind it can be repeated unseen.
    if (saysNothing(event)) return;
    firstDeltaAt ??= run.env.monotonic();
    switch (event.type) {
      case 'text-delta':
      case 'reasoning-delta':
        return delta(event);
      case 'tool-call-start':
        return commit(run, { ...event, toolCallId: ids.of(event.toolCallId) });
      case 'tool-call-delta':
        return tell(run, { ...event, toolCallId: ids.of(event.toolCallId) });
      case 'tool-call':
        return toolCall(event);
      case 'file':
        places.add();
        return commit(run, { type: 'file', part: event });
      case 'source':
        places.add();
        return commit(run, { type: 'source', part: event });
    }
  }

  return {
    start: () => start,
    finish: () => finish,
    firstDeltaAt: () => firstDeltaAt,
    take(event) {
      if (event.type === 'start') start = { id: event.id, model: event.model };
      else if (event.type === 'finish') finish = event;
      else if (event.type !== 'error') content(event);
    },
  };
}

function saysNothing(event: InferenceEvent): boolean {
  const isText = event.type === 'text-delta' || event.type === 'reasoning-delta';
  return isText && event.delta === '' && event.providerMetadata === undefined;
}

/** Where the parts of an answer stand. One without a name goes on with the last, if that is of its kind. */
function createPlaces(): { of: (type: string, partId: string | undefined) => number; add: () => void } {
  const known = new Map<string, number>();
  let count = 0;
  let last: { type: string; partId: string | undefined; place: number } | null = null;
  return {
    of(type, partId) {
      if (last !== null && last.type === type && last.partId === partId) return last.place;
      const key = `${type}:${partId}`;
      const place = (partId === undefined ? undefined : known.get(key)) ?? count++;
      known.set(key, place);
      last = { type, partId, place };
      return place;
    },
    add() {
      count++;
      last = null;
    },
  };
}

/** Ours for the provider's ids; a call that has come already makes room for another one of the same id. */
function createCallIds(run: Run): { of: (wireId: string) => string; end: (wireId: string) => void } {
  const begun = new Map<string, string>();
  return {
    of(wireId) {
      const id = begun.get(wireId) ?? run.env.id();
      begun.set(wireId, id);
      return id;
    },
    end: (wireId) => void begun.delete(wireId),
  };
}

/** The provider's id, where it gave one that no other call of the session has; else null. */
function takeProviderId(run: Run, wireId: string): string | null {
  run.providerCallIds ??= new Set(
    stateOf(run)
      .context.store.sections.flatMap(({ messages }) => messages.flatMap(toolCalls))
      .flatMap(({ providerCallId }) => providerCallId ?? []),
  );
  if (wireId === '' || run.providerCallIds.has(wireId)) return null;
  run.providerCallIds.add(wireId);
  return wireId;
}
