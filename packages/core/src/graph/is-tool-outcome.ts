import type { ToolOutcome } from './message-part.ts';

const outcomes: readonly unknown[] = [
  'completed',
  'failed',
  'blocked',
  'rejected',
  'interrupted',
  'stopped',
] satisfies ToolOutcome[];

/** True for a valid outcome of a call. */
export function isToolOutcome(value: unknown): value is ToolOutcome {
  return outcomes.includes(value);
}
