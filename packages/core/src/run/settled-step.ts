import { isFinished } from '../graph/tool-execution.ts';
import { type Message } from '../graph/message.ts';
import type { ToolOutcome } from '../graph/message-part.ts';
import { toolErrorPrefix } from '../graph/tool-result-text.ts';
import type { AgentStep, ToolExecution } from '../graph/types.ts';

/**
 * The step as it is archived: behind its answer stands a message with the result of every call, in call order. An
 * answer that broke off stays, marked; one without content goes.
 */
export function settledStep(step: AgentStep, messageIds: readonly string[], at: number): AgentStep {
  const answers = step.outputMessages
    .map((message) => (step.inferenceResponse === null ? incomplete(message) : message))
    .filter((message) => message.parts.length > 0);
  const results = step.toolExecutions.flatMap((execution, index) =>
    isFinished(execution) ? [resultMessage(execution, messageIds[index] ?? execution.id, at)] : [],
  );
  return { ...step, outputMessages: [...answers, ...results] };
}

/** Calls of an answer that never finished were not run and cannot be answered. */
function incomplete(message: Message): Message {
  const parts = message.parts.filter((part) => part.type !== 'tool-call');
  return { ...message, parts, metadata: { ...message.metadata, incomplete: true } };
}

/** The message that tells the model how a call ended. */
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
