import type { StopSignal } from './stop-signal.ts';

/**
 * The branch of `shouldStop` that decided, in the order in which they are asked. Before a step only signals are asked
 * for: without any it is `no-signals`.
 */
export type ContinuationBranch =
  | 'no-execution'
  | 'stop-signals'
  | 'continuation-requested'
  | 'tool-calls-requested'
  | 'nothing-left'
  | 'no-signals';

/** The record of one check: why a run went on or stopped. */
export type ContinuationEvaluation = {
  readonly at: 'before-step' | 'after-step' | 'resume';
  /** The step that the check belongs to, counted from 1. */
  readonly stepNumber: number;
  readonly shouldStop: boolean;
  readonly branch: ContinuationBranch;
  readonly stopSignals: readonly StopSignal[];
  readonly overridden: readonly StopSignal[];
  /** The signal that won, when the run stops on one. */
  readonly winner: StopSignal | null;
};
