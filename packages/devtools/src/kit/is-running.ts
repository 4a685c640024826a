import type { AgentState } from '@vitrine/core';
import type { HubSource } from '@vitrine/core/inspect';
import { type Context, createContext } from 'react';

/** Whether somebody goes on with the run that is looked at; null where nobody knows, and for what is past. */
export const IsRunning: Context<boolean | null> = createContext<boolean | null>(null);

/**
 * Whether somebody goes on with the run of a source; null where it does not say. The state that is shown of it may be a
 * moment behind.
 */
export function isRunning(state: AgentState, source: HubSource): boolean | null {
  if (source.isRunning === undefined) return null;
  try {
    return source.isRunning() || source.journal.state().seq !== state.seq;
  } catch {
    // What was recorded can be looked at all the same.
    return null;
  }
}
