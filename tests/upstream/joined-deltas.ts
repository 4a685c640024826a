import type { InferenceEvent } from '@vitrine/core';

/** An answer without the places in which it was cut into deltas: clients hand over what comes within a moment as one. */
export function joinedDeltas(events: readonly InferenceEvent[]): readonly InferenceEvent[] {
  return events.reduce<InferenceEvent[]>((joined, event) => {
    const last = joined.at(-1);
    const isOne =
      last !== undefined &&
      'delta' in last &&
      'delta' in event &&
      partOf(last) === partOf(event) &&
      isPlain(last, event);
    if (!isOne) return [...joined, event];
    return [...joined.slice(0, -1), { ...event, delta: last.delta + event.delta }];
  }, []);
}

function partOf(event: InferenceEvent): string {
  const { delta: _delta, providerMetadata: _metadata, ...rest } = event as unknown as Record<string, unknown>;
  return JSON.stringify(rest);
}

function isPlain(...events: readonly InferenceEvent[]): boolean {
  return events.every((event) => !('providerMetadata' in event));
}
