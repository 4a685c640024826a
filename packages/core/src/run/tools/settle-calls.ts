import type { Env } from '../../graph/env.ts';
import type { Message } from '../../graph/message.ts';
import { hasToolCalls } from '../../graph/agent-step.ts';
import { isFinished } from '../../graph/tool-execution.ts';
import type { AgentStep } from '../../graph/types.ts';
import { interrupted, resultMessage } from './tool-outcome.ts';

/** The step with a result, and a message that carries it, for every call: those that never ended are `interrupted`. */
export function withResults(step: AgentStep, env: Env): AgentStep {
  const toolExecutions = step.toolExecutions.map((execution) =>
    isFinished(execution) ? execution : interrupted(execution, env),
  );
  const outputMessages = step.outputMessages.map((message) => withIncompleteMark(message, step));
  if (!hasToolCalls(step) || toolExecutions.length === 0) return { ...step, toolExecutions, outputMessages };
  return {
    ...step,
    toolExecutions,
    outputMessages: [...outputMessages, ...toolExecutions.map((entry) => resultMessage(entry, env))],
  };
}

/** An answer that broke off stays, marked. */
function withIncompleteMark(message: Message, step: AgentStep): Message {
  if (step.inferenceResponse !== null || message.role !== 'assistant') return message;
  // Calls of an answer that never finished were not run and cannot be answered.
  const parts = message.parts.filter((part) => part.type !== 'tool-call');
  return { ...message, parts, metadata: { ...message.metadata, incomplete: true } };
}
