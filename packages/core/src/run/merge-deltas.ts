import type { AgentChange, AgentEvent } from './events.ts';

type Delta = Extract<AgentChange, { readonly type: 'text-delta' | 'reasoning-delta' }>;

/**
 * The events with the deltas of one part joined that no other event of their agent parts: with the last `seq` and `at`,
 * and how many they were in `n`. They fold to the same state. For storage and for sending.
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

/** Two deltas of one part of one agent as one; null for events that are no such pair. Nothing of the agent may have parted them. */
export function mergePair(before: AgentEvent, event: AgentEvent): AgentChange | null {
  return isDelta(event) && isDelta(before) && isSamePart(before, event) ? joined(before, event) : null;
}

function isDelta(event: AgentEvent | undefined): event is Delta {
  return event?.type === 'text-delta' || event?.type === 'reasoning-delta';
}

function isSamePart(a: Delta, b: Delta): boolean {
  return a.type === b.type && a.partId === b.partId;
}

function joined(a: Delta, b: Delta): Delta {
  const metadata =
    a.providerMetadata || b.providerMetadata
      ? { providerMetadata: { ...a.providerMetadata, ...b.providerMetadata } }
      : {};
  return { ...b, delta: a.delta + b.delta, ...metadata, n: (a.n ?? 1) + (b.n ?? 1) };
}
