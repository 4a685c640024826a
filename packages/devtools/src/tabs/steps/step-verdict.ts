import { AgentState } from '@vitrine/core';
import type { ContinuationBranch } from '@vitrine/core/types';
import { awaitedIn, evaluationsOf, verdict } from '../stop/verdict.ts';
import type { StepRecord } from './step-record.ts';
import type { Texts } from '../../texts.ts';

/** The texts on why a run goes on after a step, by the branch that decided. */
const wentOn = {
  'tool-calls-requested': 'toolsRequested',
  'continuation-requested': 'askedToGoOn',
  'no-signals': 'nothingStopped',
  'no-execution': 'nothingStopped',
  'stop-signals': 'nothingStopped',
  'nothing-left': 'nothingStopped',
} as const satisfies Readonly<Record<ContinuationBranch, keyof Texts['why']>>;

/** One sentence on why the run went on or stopped after a step. */
export function stepVerdict(
  { step, after, execution, isRecorded, number, steps }: StepRecord,
  texts: Texts,
): string {
  const { why } = texts;
  if (!isRecorded && number === steps) return verdict(after.state, null, texts);
  if (!isRecorded) return why.notRecorded(number);
  const { state } = after;
  const status = AgentState.status(state);
  if (status !== 'in-progress') return verdict(state, null, texts);
  const awaited = awaitedIn(state, texts);
  if (execution === null && AgentState.currentStep(state)?.id === step.id)
    return awaited === null ? why.notDone : why.waits(awaited);
  if (after.knows !== undefined)
    return step.toolExecutions.length > 0 ? why.toolsRequested(number) : why.reasonUnknown(number);
  const last = evaluationsOf(after).findLast(({ stepNumber }) => stepNumber === number);
  if (!last || last.shouldStop) return why.open(number);
  // A newer version may have stored a branch that this one does not know.
  return why[wentOn[last.branch] ?? 'nothingStopped'](number);
}
