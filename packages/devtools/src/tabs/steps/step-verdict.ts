import { AgentState } from '@vitrine/core';
import type { ContinuationBranch } from '@vitrine/core/types';
import { evaluationsOf } from '../stop/evaluations-of.ts';
import { awaitedIn, verdict } from '../stop/verdict.ts';
import type { StepRecord } from './step-record.ts';

const nothing = 'nothing stopped it';

/** The reasons for which a run goes on after a step, by the branch that decided. */
const wentOn: Readonly<Record<ContinuationBranch, string>> = {
  'tool-calls-requested': 'the model requested tools and has not seen their results',
  'continuation-requested': 'a hook or a plugin asked to go on',
  'no-signals': nothing,
  'no-execution': nothing,
  'stop-signals': nothing,
  'nothing-left': nothing,
};

/** One sentence on why the run went on or stopped after a step. */
export function stepVerdict({ step, after, execution, isRecorded, number, steps }: StepRecord): string {
  if (!isRecorded && number === steps) return verdict(after.state);
  if (!isRecorded) return `Why it went on or stopped after step ${number} was not recorded.`;
  const { state } = after;
  const status = AgentState.status(state);
  if (status !== 'in-progress') return verdict(state);
  const awaited = awaitedIn(state);
  if (execution === null && AgentState.currentStep(state)?.id === step.id)
    return awaited === null ? 'The step is not done yet.' : `It waits in this step for ${awaited}.`;
  const last = evaluationsOf(after).findLast(({ stepNumber }) => stepNumber === number);
  if (!last || last.shouldStop) return `The decision after step ${number} is still open.`;
  return `It went on after step ${number}: ${wentOn[last.branch] ?? nothing}.`;
}
