import type { AgentState } from '@vitrine/core';
import type { Detector, HubSource, JournalRecord, SourceKnowledge } from '@vitrine/inspect';
import { type Context, createContext, useContext } from 'react';
import { useTexts } from '../texts.ts';

/** The window that contains the panel: that of the page, or its own. Null where there is no window. */
export const PanelWindow: Context<Window | null> = createContext<Window | null>(
  typeof window === 'undefined' ? null : window,
);

/** The sources of the panel, for views that show others than their own. */
type PanelSources = {
  /** Shows another source in the panel. */
  readonly open: (source: HubSource) => void;
  /** Shows a record as a source of its own, beside the sessions of the page, with the agent of this name. */
  readonly show: (shown: Pick<HubSource, 'id' | 'name'>, record: JournalRecord, agentName: string) => void;
  readonly read: (source: HubSource) => JournalRecord;
  /** The detectors of the application. */
  readonly detectors: readonly Detector[] | undefined;
};

export const PanelSources: Context<PanelSources> = createContext<PanelSources>({
  open: () => undefined,
  show: () => undefined,
  read() {
    throw new Error('This view is outside of the panel.');
  },
  detectors: undefined,
});

/** The knowledge of a session of this library. */
export const everything: SourceKnowledge = { prompt: true, usage: true, times: true, results: true };

/** The facts that the source of the shown record can tell. Views say of others that they are not known. */
export const Knowledge: Context<SourceKnowledge> = createContext(everything);

/** Tells whether the selected run is running. Null when that is unknown, and for a moment in the past. */
export const IsRunning: Context<boolean | null> = createContext<boolean | null>(null);

/** Tells whether a moment in the past is shown, which is spoken of as past. */
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

/** The display of times, and the function that switches it. */
export type TimesSetting = { readonly isRelative: boolean; readonly turn: () => void };

/** Times are shown by the clock, or relative to the start of the selected run. */
export const Times: Context<TimesSetting> = createContext<TimesSetting>({
  isRelative: false,
  turn: () => undefined,
});

/** The start of the selected run in Unix milliseconds; null when there is none. */
export const RunStart: Context<number | null> = createContext<number | null>(null);

/** Returns a function that formats a time as selected. */
export function useTimeText(): (at: number) => string {
  const { isRelative } = useContext(Times);
  const start = useContext(RunStart);
  const { formats } = useTexts();
  return (at) => (isRelative && start !== null ? formats.since(at - start) : formats.time(at));
}
