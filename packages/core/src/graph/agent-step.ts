import { nothing } from '../kit/nothing.ts';
import { type Env, systemEnv } from './env.ts';
import { text } from './message.ts';
import type { AgentStep, AgentStepType } from './types.ts';
import { none, type Usage } from './usage.ts';

export { inputMessages, request } from './sent.ts';

/** A step; whatever is left out is empty. */
export function of(init: Partial<AgentStep> = {}, env: Env = systemEnv): AgentStep {
  return {
    id: init.id ?? env.id(),
    sent: init.sent ?? null,
    outputMessages: init.outputMessages ?? nothing,
    inferenceResponse: init.inferenceResponse ?? null,
    toolExecutions: init.toolExecutions ?? nothing,
    errors: init.errors ?? nothing,
  };
}

/** True when the model asked for tools, whether or not they ran. */
export function hasToolCalls(step: AgentStep): boolean {
  if (step.toolExecutions.length > 0) return true;
  return step.outputMessages.some((message) => message.parts.some((part) => part.type === 'tool-call'));
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

/** True when the model did not finish what it said: the step keeps its type, but is no success. */
export function isInterrupted(step: AgentStep): boolean {
  return step.inferenceResponse === null;
}

/** What its model call used; what its subagents used is in their states. */
export function usage(step: AgentStep): Usage {
  return step.inferenceResponse?.usage ?? none();
}

/** What the model said in this step. */
export function responseText(step: AgentStep): string {
  return step.outputMessages.map((message) => (message.role === 'assistant' ? text(message) : '')).join('');
}

/** True when it answers the user: finished, no tools, no errors, and more than white space. */
export function isFinalResponse(step: AgentStep): boolean {
  return type(step) === 'final-response' && !isInterrupted(step) && responseText(step).trim() !== '';
}
