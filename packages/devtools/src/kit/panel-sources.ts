import type { Detector, HubSource, JournalRecord } from '@vitrine/inspect';
import { createContext } from 'react';

/** The sources of the panel, for views that show others than their own. */
type PanelSources = {
  /** Shows another source in the panel. */
  readonly open: (source: HubSource) => void;
  /** Shows a record as a source of its own, beside the sessions of the page, with the agent of this name. */
  readonly show: (shown: Pick<HubSource, 'id' | 'name'>, record: JournalRecord, agentName: string) => void;
  /** The record of a source. */
  readonly read: (source: HubSource) => JournalRecord;
  /** The detectors of the application. */
  readonly detectors: readonly Detector[] | undefined;
};

export const PanelSources: React.Context<PanelSources> = createContext<PanelSources>({
  open: () => undefined,
  show: () => undefined,
  read() {
    throw new Error('This view is outside of the panel.');
  },
  detectors: undefined,
});
