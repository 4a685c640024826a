import type { RecordedEvent } from '@vitrine/inspect';

/** The log as it is shown: deltas of agents that write at the same time are one entry for each text. */
export type MergedEvents = {
  readonly events: readonly RecordedEvent[];
  /** The number of the entry that holds an event, for the events that were merged into an earlier one. */
  readonly entryOf: ReadonlyMap<number, number>;
};

/** Merges the deltas of one text between which there are only deltas of others. */
export function mergeDeltas(events: readonly RecordedEvent[]): MergedEvents {
  const merged: RecordedEvent[] = [];
  const entryOf = new Map<number, number>();
  /** Indexes in `merged` of the texts that are being written. */
  const open = new Map<string, number>();
  for (const entry of events) {
    const { event } = entry;
    if (!('delta' in event)) {
      open.clear();
      merged.push(entry);
      continue;
    }
    const key = keyOf(event);
    const at = open.get(key);
    const before = at === undefined ? undefined : merged[at];
    if (at === undefined || before === undefined || !('delta' in before.event)) {
      open.set(key, merged.push(entry) - 1);
      continue;
    }
    const delta = before.event.delta + event.delta;
    merged[at] = { ...before, event: { ...before.event, delta }, count: before.count + entry.count };
    entryOf.set(entry.number, before.number);
  }
  return { events: merged, entryOf };
}

function keyOf(event: Extract<RecordedEvent['event'], { readonly delta: string }>): string {
  const part = event.type === 'tool-call-delta' ? event.toolCallId : event.partId;
  return [event.type, part, ...event.path].join('/');
}
