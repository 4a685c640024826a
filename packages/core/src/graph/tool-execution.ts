import { nothing } from '../kit/memoize.ts';
import type { ToolCall, ToolExecution, ToolExecutionStatus } from './types.ts';
import type { ToolOutcome } from './message.ts';
import { isPlainObject, type JsonValue } from '../kit/json.ts';

/** The execution of a call that has not run yet. Its id is the call's. */
export function ofCall(toolCall: ToolCall): ToolExecution {
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

/** The name of the agent in the input of a delegating call, or else that of its tool. */
export function subagentName({ toolCall: { input, name: toolName } }: ToolExecution): string {
  const name = isPlainObject(input) ? input['agent'] : null;
  return typeof name === 'string' && name !== '' ? name : toolName;
}

const open: readonly ToolExecutionStatus[] = ['requested', 'awaiting-approval', 'awaiting-output', 'running'];

/** True when the call has its result, also a failure. */
export function isFinished(execution: ToolExecution): boolean {
  return !open.includes(execution.status);
}

export const outcomes = ['completed', 'failed', 'blocked', 'rejected', 'interrupted', 'stopped'] as const;

export function isToolOutcome(value: unknown): value is ToolOutcome {
  return (outcomes as readonly unknown[]).includes(value);
}

/** The prefix of an error in a result for the model. */
export const toolErrorPrefix = 'Error in tool call: ';

/** A tool's result as text for a model: strings unchanged, other values as JSON. */
export function toolResultText(output: JsonValue): string {
  return typeof output === 'string' ? output : JSON.stringify(output);
}
