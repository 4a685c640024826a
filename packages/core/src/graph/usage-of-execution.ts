import { memoize, memoizeGrowing } from '../kit/memoize.ts';
import type { AgentState, AgentStep, ExecutionState, StepExecution } from './types.ts';
import { none, sum, type Usage } from './usage.ts';

/** Usage of model calls, subagents included. */
type Tally = {
  readonly usage: Usage;
  /** True when a call of unknown price was made. */
  readonly hasUnknownCost: boolean;
  /** The most output tokens of one call; null before the first. */
  readonly largestOutput: number | null;
};

const empty: Tally = { usage: none(), hasUnknownCost: false, largestOutput: null };

/** The tally of a step and its subagents: live while the step runs, computed once after it. */
const tallyOfStep: (step: AgentStep) => Tally = memoize((step) => {
  const children = step.toolExecutions.flatMap(({ childState }) => childState?.execution ?? []);
  const calls = [step.inferenceResponse?.usage ?? null, step.extraUsage].map(tallyOfCall);
  return total([...calls, ...children.map(tallyOfExecution)]);
});

const tallyOfSteps = memoizeGrowing<StepExecution, Tally>((before, list, from) =>
  list.slice(from).reduce((tally, { step }) => total([tally, tallyOfStep(step)]), before ?? empty),
);

const tallyOfExecution: (execution: ExecutionState) => Tally = memoize((execution) => {
  const { stepExecutions, currentStep, extraUsage } = execution;
  const archived = total([tallyOfSteps(stepExecutions), tallyOfCall(extraUsage)]);
  return currentStep === null ? archived : total([archived, tallyOfStep(currentStep)]);
});

function tallyOfCall(reported: Usage | null | undefined): Tally {
  // A state built by hand may lack the field.
  if (!reported) return empty;
  const { cost } = reported;
  const usage = sum([reported]);
  return { usage, hasUnknownCost: cost === null || !(cost >= 0), largestOutput: usage.outputTokens };
}

function total(tallies: readonly Tally[]): Tally {
  const real = tallies.filter((tally) => tally !== empty);
  if (real.length < 2) return real[0] ?? empty;
  return {
    usage: sum(real.map(({ usage }) => usage)),
    hasUnknownCost: real.some(({ hasUnknownCost }) => hasUnknownCost),
    largestOutput: Math.max(...real.map(({ largestOutput }) => largestOutput ?? 0)),
  };
}

/** The spending of all steps and their subagents. One more step costs one sum. */
export function usageOfExecution(execution: ExecutionState): Usage {
  return tallyOfExecution(execution).usage;
}

/** True when the execution, or a subagent of it, called a model whose price is not known. */
export function hasUnknownCost({ execution }: AgentState): boolean {
  return execution !== null && tallyOfExecution(execution).hasUnknownCost;
}

/** The most output tokens of one call of the execution and its subagents; null before the first. */
export function largestOutput({ execution }: AgentState): number | null {
  return execution === null ? null : tallyOfExecution(execution).largestOutput;
}
