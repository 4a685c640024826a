import { responseText } from '@vitrine/core/internal/graph/agent-step';
import { steps } from '@vitrine/core/internal/graph/agent-state/accessors';
import type { AgentState, AgentStep } from '@vitrine/core/internal/graph/types';
import { redact } from '../redact.ts';

const mostShown = 80;

const english = {
  differs: (step: number, was: string, is: string): string => `Step ${step}: ${is} (was ${was})`,
  ended: 'no step',
};

/** The first step, from a number on, in which a run differs from a recorded one, without secrets; empty when none does. */
export function describeDifference(
  recorded: AgentState,
  run: AgentState,
  { from = 1, words = english } = {},
): string {
  const [was, is] = [steps(recorded), steps(run)];
  const tell = (step: AgentStep | undefined): string => {
    // A secret that is cut is no longer known as one.
    const text = outlineOf(step, redact) ?? words.ended;
    return text.length > mostShown ? `${text.slice(0, mostShown)}…` : text;
  };
  for (let at = from - 1; at < Math.max(was.length, is.length); at++)
    if (outlineOf(was[at]) !== outlineOf(is[at])) return words.differs(at + 1, tell(was[at]), tell(is[at]));
  return '';
}

/** A step in one line: its calls with their arguments and outcomes, or its text. Null when there is no step. */
function outlineOf(step: AgentStep | undefined, read = (value: unknown): unknown => value): string | null {
  if (step === undefined) return null;
  const calls = step.toolExecutions.map(({ toolCall, result, status }) => {
    const outcome = result === undefined ? status : JSON.stringify(read(result));
    return `${toolCall.name}(${JSON.stringify(read(toolCall.input))}) ${outcome}`;
  });
  return calls.length > 0 ? calls.join(', ') : JSON.stringify(read(responseText(step)));
}
