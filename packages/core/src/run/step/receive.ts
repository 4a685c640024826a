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
  const places = new Map<string, number>();
  let partCount = 0;
  let last: { type: string; partId: string | undefined; place: number } | null = null;
  const begun = new Map<string, string>();
  let start = { id: null as string | null, model: null as string | null };
  let finish: Event<'finish'> | null = null;
  let firstDeltaAt: number | null = null;

  function placeOf(type: string, partId: string | undefined): number {
    if (last !== null && last.type === type && last.partId === partId) return last.place;
    const key = `${type}:${partId}`;
    const known = partId === undefined ? undefined : places.get(key);
    const place = known ?? partCount++;
    places.set(key, place);
    last = { type, partId, place };
    return place;
  }

  function delta({
    type,
    delta: text,
    partId,
    providerMetadata,
  }: Event<'text-delta' | 'reasoning-delta'>): void {
    if (text === '' && providerMetadata === undefined) return;
    const place = String(placeOf(type, partId));
    const metadata = providerMetadata ? { providerMetadata } : {};
    commit(run, { type, partId: place, delta: text, ...metadata });
  }

  /** Ours for the provider's id; a call that has come already makes room for another one of the same id. */
  function ownId(wireId: string): string {
    const known = begun.get(wireId);
    if (known !== undefined) return known;
    const id = run.env.id();
    begun.set(wireId, id);
    return id;
  }

  function toolCall({ toolCallId: wireId, toolName, input, providerMetadata }: Event<'tool-call'>): void {
    const toolCallId = ownId(wireId);
    begun.delete(wireId);
    partCount++;
    last = null;
    commit(run, {
      type: 'tool-call',
      toolCallId,
      toolName,
      input,
      providerCallId: takeProviderId(run, wireId),
      ...(providerMetadata ? { providerMetadata } : {}),
    });
  }

  function part(event: Event<'file'> | Event<'source'>): void {
    partCount++;
    last = null;
    if (event.type === 'file') commit(run, { type: 'file', part: event });
    else commit(run, { type: 'source', part: event });
  }

  return {
    start: () => start,
    finish: () => finish,
    firstDeltaAt: () => firstDeltaAt,
    take(event) {
      if (event.type === 'start') return void (start = { id: event.id, model: event.model });
      if (event.type === 'finish') return void (finish = event);
      firstDeltaAt ??= run.env.monotonic();
      switch (event.type) {
        case 'text-delta':
        case 'reasoning-delta':
          return delta(event);
        case 'tool-call-start':
          return commit(run, { ...event, toolCallId: ownId(event.toolCallId) });
        case 'tool-call-delta':
          return tell(run, { ...event, toolCallId: ownId(event.toolCallId) });
        case 'tool-call':
          return toolCall(event);
        case 'file':
        case 'source':
          return part(event);
        default:
      }
    },
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
