import { priority, type StopReason } from './stop-reason.ts';

/** The signal that decides: the highest priority, the earliest added among equals. */
export function highest<Signal extends { readonly reason: StopReason }>(
  signals: readonly Signal[],
): Signal | null {
  let winner: Signal | null = null;
  for (const signal of signals) {
    if (winner === null || priority(signal.reason) < priority(winner.reason)) winner = signal;
  }
  return winner;
}
