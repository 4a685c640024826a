import { priority, type StopReason } from './stop-reason.ts';

/** The signal that decides: the one of highest priority, and among equals the earliest. */
export function highest<Signal extends { readonly reason: StopReason }>(
  signals: readonly Signal[],
): Signal | null {
  let winner: Signal | null = null;
  for (const signal of signals) {
    if (winner === null || priority(signal.reason) < priority(winner.reason)) winner = signal;
  }
  return winner;
}
