import type { Env } from '../../graph/env.ts';
import { AgentError } from '../../kit/agent-error.ts';
import { errorInfo } from '../../graph/error-info.ts';
import { type Message, tool as toolMessage } from '../../graph/message.ts';
import { toolErrorPrefix } from '../../graph/tool-result-text.ts';
import type { JsonValue } from '../../kit/json.ts';
import type { ToolExecution, ToolExecutionStatus } from '../../graph/types.ts';

/** The execution with its end recorded. */
export function ended(
  execution: ToolExecution,
  outcome: { status: ToolExecutionStatus; result?: JsonValue; error?: unknown; startedMonotonic?: number },
  env: Env,
): ToolExecution {
  const { status, startedMonotonic } = outcome;
  return {
    ...execution,
    ...('result' in outcome && outcome.result !== undefined ? { result: outcome.result } : {}),
    status,
    error: outcome.error === undefined ? null : errorInfo(outcome.error),
    completedAt: env.now(),
    durationMs: startedMonotonic === undefined ? execution.durationMs : env.monotonic() - startedMonotonic,
  };
}

/** A call whose end nobody saw: by an abort, a crash or a reload. Whether it had effects is not known. */
export function interrupted(execution: ToolExecution, env: Env): ToolExecution {
  const { name, id } = execution.toolCall;
  const hadStarted = execution.startedAt !== null;
  const message = hadStarted
    ? `Tool ${JSON.stringify(name)} was interrupted while it ran; it may or may not have had its effect.`
    : `Tool ${JSON.stringify(name)} was not run: the step was stopped first.`;
  const error = new AgentError('tool-interrupted', message, { data: { toolName: name, toolCallId: id } });
  return ended(execution, { status: 'interrupted', error }, env);
}

/** The message that tells the model how a call ended. */
export function resultMessage(execution: ToolExecution, env: Env): Message {
  const { id, name } = execution.toolCall;
  const isError = execution.status !== 'completed';
  const output = isError
    ? `${toolErrorPrefix}${execution.error?.message ?? execution.status}`
    : (execution.result ?? null);
  return toolMessage({ toolCallId: id, toolName: name, output, isError }, {}, env);
}
