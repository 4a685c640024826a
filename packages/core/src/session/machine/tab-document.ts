import type { AgentState } from '../../graph/types.ts';
import type { TabView } from './tab-view.ts';

/** A state to begin with, and the rest of the session. */
export type TabDocument = {
  readonly journalId: string;
  /** The ids of the known earlier journals, oldest first. */
  readonly earlier: readonly string[];
  readonly state: AgentState;
  readonly view: TabView;
};
