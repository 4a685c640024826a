import { type Env, systemEnv } from './env.ts';
import type { ToolCall, ToolExecution, ToolExecutionStatus } from './types.ts';

/** A call as the model made it; nothing has run yet. */
export function requested(toolCall: ToolCall, env: Env = systemEnv): ToolExecution {
  return {
    id: env.id(),
    toolCall,
    status: 'requested',
    error: null,
    startedAt: null,
    completedAt: null,
    durationMs: null,
    childState: null,
    pluginWrites: [],
    approval: null,
  };
}

const open: readonly ToolExecutionStatus[] = ['requested', 'awaiting-approval', 'running'];

/** True when the call has its result, good or bad. */
export function isFinished(execution: ToolExecution): boolean {
  return !open.includes(execution.status);
}
