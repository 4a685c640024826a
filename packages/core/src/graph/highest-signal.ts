import { priority } from './stop-reason.ts';
import type { StopSignal } from './stop-signal.ts';

/** The signal that decides: the highest priority, the earliest added among equals. */
export function highest(signals: readonly StopSignal[]): StopSignal | null {
  let winner: StopSignal | null = null;
  for (const signal of signals) {
    if (winner === null || priority(signal.reason) < priority(winner.reason)) winner = signal;
  }
  return winner;
}
