import type { FinishReason } from '../graph/inference-response.ts';

const known: readonly unknown[] = ['stop', 'length', 'tool-calls', 'content-filter', 'error', 'other'];

/** Returns a known finish reason unchanged, and `other` for unknown ones. */
export function toFinishReason(reason: unknown): FinishReason {
  return known.includes(reason) ? (reason as FinishReason) : 'other';
}
