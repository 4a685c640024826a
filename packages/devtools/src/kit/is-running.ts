import type { AgentState } from '@vitrine/core';
import type { HubSource } from '@vitrine/inspect';
import { type Context, createContext } from 'react';

/** Context: whether the selected run is running. Null when that is unknown, and for a moment in the past. */
export const IsRunning: Context<boolean | null> = createContext<boolean | null>(null);

/** Context: whether a moment in the past is shown, which is spoken of as past. */
export const IsPast: Context<boolean> = createContext(false);

/**
 * Tells whether the run of a source is still running; null when the source does not say. The shown state
 * may lag behind the source.
 */
export function isRunning(state: AgentState, source: HubSource): boolean | null {
  if (source.isRunning === undefined) return null;
  try {
    return source.isRunning() || source.journal.state().seq !== state.seq;
  } catch {
    // A source that throws can still be inspected.
    return null;
  }
}
