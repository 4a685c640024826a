import type { AgentEvent } from '../run/events.ts';
import { mergePair } from '../run/merge-deltas.ts';

/** Merges two consecutive deltas, events or signals; null for other events. */
export function mergeRecorded(last: AgentEvent, event: AgentEvent): AgentEvent | null {
  if (last.type !== event.type || !isSamePath(last.path, event.path)) return null;
  if (last.type !== 'tool-call-delta' || event.type !== 'tool-call-delta') return mergePair(last, event);
  return last.toolCallId === event.toolCallId ? { ...event, delta: last.delta + event.delta } : null;
}

function isSamePath(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id, index) => id === b[index]);
}
