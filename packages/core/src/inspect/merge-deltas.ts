import { freeze } from '../kit/freeze.ts';
import type { AgentEvent } from '../run/events.ts';

/**
 * Two deltas of one part as one, which folds to the same; null for events that are no such pair. Nothing may have
 * come between the two.
 */
export function mergeDeltas(first: AgentEvent, second: AgentEvent): AgentEvent | null {
  if (first.type !== second.type || !isSamePath(first.path, second.path)) return null;
  if (first.type === 'tool-call-delta' && second.type === 'tool-call-delta') {
    if (first.toolCallId !== second.toolCallId) return null;
    return freeze({ ...second, delta: first.delta + second.delta });
  }
  if (!isText(first) || !isText(second) || first.partId !== second.partId) return null;
  if (first.providerMetadata || second.providerMetadata) return null;
  return freeze({ ...second, delta: first.delta + second.delta, n: (first.n ?? 1) + (second.n ?? 1) });
}

type TextDelta = Extract<AgentEvent, { readonly type: 'text-delta' | 'reasoning-delta' }>;

function isText(event: AgentEvent): event is TextDelta {
  return event.type === 'text-delta' || event.type === 'reasoning-delta';
}

function isSamePath(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id, index) => id === b[index]);
}
