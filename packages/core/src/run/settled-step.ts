import { isErased } from '../graph/follow-changes.ts';
import { isFinished, toolErrorPrefix } from '../graph/tool-execution.ts';
import type { Message, ToolOutcome } from '../graph/message.ts';
import type { AgentStep, ToolExecution } from '../graph/types.ts';

/**
 * The step as it is archived: after its answer comes a message with the result of every call, in call
 * order. An answer that broke off is kept and marked; an empty one is removed.
 */
export function settledStep(step: AgentStep, messageIds: readonly string[], at: number): AgentStep {
  const answers = step.outputMessages
    .map((message) => (step.inferenceResponse === null ? incomplete(message) : message))
    .filter((message) => message.parts.length > 0 || isErased(message));
  const results = step.toolExecutions.flatMap((execution, index) =>
    isFinished(execution) ? [resultMessage(execution, messageIds[index] ?? execution.id, at)] : [],
  );
  return { ...step, outputMessages: [...answers, ...results] };
}

/** Removes the calls of an unfinished answer: they were not run and cannot be answered. */
function incomplete(message: Message): Message {
  const parts = message.parts.filter((part) => part.type !== 'tool-call');
  return { ...message, parts, metadata: { ...message.metadata, incomplete: true } };
}

/** The message that gives the model the result of a call. */
function resultMessage(execution: ToolExecution, id: string, at: number): Message {
  const { toolCall, status, result = null, error, durationMs } = execution;
  const isCompleted = status === 'completed';
  return {
    id,
    role: 'tool',
    parts: [
      {
        type: 'tool-result',
        toolCallId: execution.id,
        toolName: toolCall.name,
        output: isCompleted ? result : `${toolErrorPrefix}${error?.message ?? status}`,
        outcome: status as ToolOutcome,
        durationMs,
      },
    ],
    metadata: {},
    createdAt: at,
    parentId: null,
  };
}
