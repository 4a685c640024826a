import { nothing } from '../kit/memoize.ts';
import type { ToolCall, ToolExecution, ToolExecutionStatus } from './types.ts';

export { isWaiting } from './waits-for-person.ts';

/** The execution of a call that has not run yet. Its id is the call's. */
export function requested(toolCall: ToolCall): ToolExecution {
  return {
    id: toolCall.id,
    toolCall,
    status: 'requested',
    error: null,
    startedAt: null,
    completedAt: null,
    durationMs: null,
    childState: null,
    pluginWrites: nothing,
    progress: null,
    settledAt: null,
    approval: null,
  };
}

const open: readonly ToolExecutionStatus[] = ['requested', 'awaiting-approval', 'awaiting-output', 'running'];

/** True when the call has its result, also a failure. */
export function isFinished(execution: ToolExecution): boolean {
  return !open.includes(execution.status);
}
