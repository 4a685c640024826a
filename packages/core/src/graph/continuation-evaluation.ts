import type { StopSignal } from './stop-signal.ts';

/**
 * The branch of `shouldStop` that decided, in the order of evaluation. Before a step only signals are evaluated:
 * without any, the branch is `no-signals`.
 */
export type ContinuationBranch =
  | 'no-execution'
  | 'stop-signals'
  | 'continuation-requested'
  | 'tool-calls-requested'
  | 'nothing-left'
  | 'no-signals';

/** The record of one check: the reason why a run continued or stopped. */
export type ContinuationEvaluation = {
  readonly at: 'before-step' | 'after-step' | 'resume';
  /** The number of the step that the check belongs to, counted from 1. */
  readonly stepNumber: number;
  readonly shouldStop: boolean;
  readonly branch: ContinuationBranch;
  readonly stopSignals: readonly StopSignal[];
  readonly overridden: readonly StopSignal[];
  /** The deciding signal, when the run stops on one. */
  readonly winner: StopSignal | null;
};
