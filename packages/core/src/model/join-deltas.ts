import type { InferenceEvent } from './inference-client.ts';

type Told = { readonly event: InferenceEvent | null };
type Delta = Extract<InferenceEvent, { readonly delta: string }>;

/** Joins consecutive deltas of one part, or one call, at the position of the last of them. */
export function joinDeltas<Item extends Told>(events: readonly Item[]): readonly Item[] {
  const joined: Item[] = [];
  for (const next of events) {
    const both = joinedWith(joined.at(-1)?.event ?? null, next.event);
    if (both === null) joined.push(next);
    else joined[joined.length - 1] = { ...next, event: both };
  }
  return joined;
}

function joinedWith(before: InferenceEvent | null, next: InferenceEvent | null): Delta | null {
  if (before === null || next === null || !('delta' in before) || !('delta' in next)) return null;
  return isOne(before, next) ? { ...next, delta: before.delta + next.delta } : null;
}

function isOne(a: Delta, b: Delta): boolean {
  if (a.type === 'tool-call-delta') return b.type === a.type && a.toolCallId === b.toolCallId;
  const isPlain = a.providerMetadata === undefined;
  return isPlain && b.type === a.type && b.providerMetadata === undefined && a.partId === b.partId;
}
