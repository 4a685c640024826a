import { memoize, nothing } from '../kit/memoize.ts';
import { type Env, systemEnv } from './env.ts';
import { text } from './message.ts';
import type { AgentStep, AgentStepType } from './types.ts';
import { add, none, type Usage } from './usage.ts';

export { inputMessages, request } from './sent.ts';

/** Creates a step; omitted fields are empty. */
export function of(init: Partial<AgentStep> = {}, env: Env = systemEnv): AgentStep {
  return {
    id: init.id ?? env.id(),
    sent: init.sent ?? null,
    outputMessages: init.outputMessages ?? nothing,
    inferenceResponse: init.inferenceResponse ?? null,
    toolExecutions: init.toolExecutions ?? nothing,
    errors: init.errors ?? nothing,
    extraUsage: init.extraUsage ?? null,
  };
}

/** True when the model asked for tools, whether or not they ran. */
export function hasToolCalls(step: AgentStep): boolean {
  if (step.toolExecutions.length > 0) return true;
  return step.outputMessages.some((message) => message.parts.some((part) => part.type === 'tool-call'));
}

/**
 * True when the model has to be called again after the step: it asked for tools. An answer that has ended and whose
 * calls all ran elsewhere has used their results already.
 */
export function needsAnswer(step: AgentStep): boolean {
  if (!hasToolCalls(step)) return false;
  const { inferenceResponse, toolExecutions } = step;
  const isWhole = inferenceResponse?.finishReason === 'stop' && toolExecutions.length > 0;
  return !isWhole || toolExecutions.some(({ isElsewhere }) => isElsewhere !== true);
}

/** True when the step has errors, those of its tools included. */
export function hasErrors(step: AgentStep): boolean {
  return step.errors.length > 0 || step.toolExecutions.some((execution) => execution.error !== null);
}

/** `error` if the step has errors, else `tool-execution` if tools were requested, else `final-response`. */
export function type(step: AgentStep): AgentStepType {
  if (hasErrors(step)) return 'error';
  return hasToolCalls(step) ? 'tool-execution' : 'final-response';
}

/** True when the model did not finish its answer. The step keeps its type and counts as no success. */
export function isInterrupted(step: AgentStep): boolean {
  return step.inferenceResponse === null;
}

/** Usage of the step's model calls, failed attempts and hooks included. The usage of subagents is in their states. */
export const usage: (step: AgentStep) => Usage = memoize(({ inferenceResponse, extraUsage }) =>
  add(inferenceResponse?.usage ?? none(), extraUsage ?? none()),
);

/** The text of the model in this step. */
export function responseText(step: AgentStep): string {
  return step.outputMessages.map((message) => (message.role === 'assistant' ? text(message) : '')).join('');
}

/** True for an answer to the user: finished, no tools, no errors, and more than white space. */
export function isFinalResponse(step: AgentStep): boolean {
  return type(step) === 'final-response' && !isInterrupted(step) && responseText(step).trim() !== '';
}
