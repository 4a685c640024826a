import type { AgentChange, AgentEvent } from './events.ts';

type Delta = Extract<AgentChange, { readonly type: 'text-delta' | 'reasoning-delta' }>;

/**
 * Merges the deltas of a part, unless another event of their agent is between them. A merged delta has the last `seq`
 * and `at`, and the number of deltas in `n`. The events fold to the same state. For storage and sending.
 */
export function mergeDeltas(events: readonly AgentEvent[]): AgentEvent[] {
  const merged: AgentEvent[] = [];
  const last = new Map<string, number>();
  for (const event of events) {
    const agent = event.path.join('/');
    const at = last.get(agent);
    const before = at === undefined ? undefined : merged[at];
    const both = before === undefined ? null : mergePair(before, event);
    if (both !== null) {
      merged[at as number] = both;
      continue;
    }
    if (event.seq !== null) last.set(agent, merged.length);
    merged.push(event);
  }
  return merged;
}

/** Merges two deltas of one part; null for other events. No event of the agent may be between them. */
export function mergePair(before: AgentEvent, event: AgentEvent): AgentChange | null {
  if (!isDelta(event) || !isDelta(before)) return null;
  return before.type === event.type && before.partId === event.partId ? joinPair(before, event) : null;
}

function isDelta(event: AgentEvent | undefined): event is Delta {
  return event?.type === 'text-delta' || event?.type === 'reasoning-delta';
}

function joinPair(a: Delta, b: Delta): Delta {
  const metadata =
    a.providerMetadata || b.providerMetadata
      ? { providerMetadata: { ...a.providerMetadata, ...b.providerMetadata } }
      : {};
  return { ...b, delta: a.delta + b.delta, ...metadata, n: (a.n ?? 1) + (b.n ?? 1) };
}
