import { memoize } from '../kit/memoize.ts';
import { memoizeGrowing } from '../kit/memoize-growing.ts';
import type { AgentState, AgentStep, ExecutionState, StepExecution } from './types.ts';
import { none, sum, type Usage } from './usage.ts';

/** What model calls came to, subagents included. */
type Tally = {
  readonly usage: Usage;
  /** A call was made whose price is not known. */
  readonly hasUnknownCost: boolean;
  /** The most output tokens of one call; null before the first. */
  readonly largestOutput: number | null;
};

const empty: Tally = { usage: none(), hasUnknownCost: false, largestOutput: null };

/** Of a step and the subagents below it: live, and computed once for a step that has ended. */
const tallyOfStep: (step: AgentStep) => Tally = memoize((step) => {
  const children = step.toolExecutions.flatMap(({ childState }) => childState?.execution ?? []);
  return total([tallyOfCall(step), ...children.map(tallyOfExecution)]);
});

const tallyOfSteps = memoizeGrowing<StepExecution, Tally>((before, list, from) =>
  list.slice(from).reduce((tally, { step }) => total([tally, tallyOfStep(step)]), before ?? empty),
);

const tallyOfExecution: (execution: ExecutionState) => Tally = memoize(({ stepExecutions, currentStep }) => {
  const archived = tallyOfSteps(stepExecutions);
  return currentStep === null ? archived : total([archived, tallyOfStep(currentStep)]);
});

function tallyOfCall({ inferenceResponse }: AgentStep): Tally {
  if (inferenceResponse === null) return empty;
  const { cost } = inferenceResponse.usage;
  const usage = sum([inferenceResponse.usage]);
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

/** What all steps and their subagents have spent so far; a step more costs the sum of two. */
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
