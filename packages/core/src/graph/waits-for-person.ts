import type { ToolExecution } from './types.ts';

/** True when the call cannot continue before a person answers. */
export function isWaiting({ status }: ToolExecution): boolean {
  return status === 'awaiting-approval' || status === 'awaiting-output';
}
