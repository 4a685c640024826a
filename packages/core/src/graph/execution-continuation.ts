import { type StopSignal, highest } from './stop-signal.ts';

export const continuationBranches = [
  'no-execution',
  'stop-signals',
  'continuation-requested',
  'tool-calls-requested',
  'nothing-left',
  'no-signals',
] as const;

/** The branch of `shouldStop` that decided, in the order of evaluation; `no-signals` only before a step. */
export type ContinuationBranch = (typeof continuationBranches)[number];

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

/** The stop signals and the continuation request of an execution. */
export type ExecutionContinuation = {
  readonly stopSignals: readonly StopSignal[];
  readonly isContinuationRequested: boolean;
  /** Signals that a continuation request has consumed. */
  readonly overridden: readonly StopSignal[];
};

const none: ExecutionContinuation = { stopSignals: [], isContinuationRequested: false, overridden: [] };

/** A continuation without signals and without a request. */
export function fresh(): ExecutionContinuation {
  return none;
}

/** A continuation of the given parts; omitted parts are empty. */
export function of(init: Partial<ExecutionContinuation> = {}): ExecutionContinuation {
  return { ...none, ...init };
}

/** The continuation with one more signal. */
export function withStopSignal(
  continuation: ExecutionContinuation,
  signal: StopSignal,
): ExecutionContinuation {
  return { ...continuation, stopSignals: [...continuation.stopSignals, signal] };
}

/** The continuation with its request set or removed; the same one when nothing changes. */
export function withContinuationRequested(
  continuation: ExecutionContinuation,
  requested = true,
): ExecutionContinuation {
  return continuation.isContinuationRequested === requested
    ? continuation
    : { ...continuation, isContinuationRequested: requested };
}

/** Spends a request: the signals it overrides move to `overridden`. */
export function withRequestConsumed(continuation: ExecutionContinuation): ExecutionContinuation {
  if (!continuation.isContinuationRequested) return continuation;
  return {
    stopSignals: none.stopSignals,
    isContinuationRequested: false,
    overridden: [...continuation.overridden, ...continuation.stopSignals],
  };
}

/** True when signals are present and no continuation is requested. */
export function shouldStop(continuation: ExecutionContinuation): boolean {
  return continuation.stopSignals.length > 0 && !continuation.isContinuationRequested;
}

/** The signal that decides; null when there is none. */
export function highestSignal(continuation: ExecutionContinuation): StopSignal | null {
  return highest(continuation.stopSignals);
}

/** One line for people, e.g. `Stop Signals: user-requested: Stop pressed; Continuation Requested: No`. */
export function explain(continuation: ExecutionContinuation): string {
  const signals = continuation.stopSignals.map((signal) => `${signal.reason}: ${signal.message}`).join(' | ');
  const requested = continuation.isContinuationRequested ? 'Yes' : 'No';
  return `${signals === '' ? 'No Stop Signals' : `Stop Signals: ${signals}`}; Continuation Requested: ${requested}`;
}
