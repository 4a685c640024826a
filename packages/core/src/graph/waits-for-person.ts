import type { ToolExecution } from './types.ts';

/** True when a person has to say something before the call can go on. */
export function isWaiting({ status }: ToolExecution): boolean {
  return status === 'awaiting-approval' || status === 'awaiting-output';
}
