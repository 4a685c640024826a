import type { FinishReason } from '../graph/inference-response.ts';

const known: readonly unknown[] = ['stop', 'length', 'tool-calls', 'content-filter', 'error', 'other'];

/** The reason itself when it is one of ours; whatever a provider calls otherwise is `other`. */
export function toFinishReason(reason: unknown): FinishReason {
  return known.includes(reason) ? (reason as FinishReason) : 'other';
}
