import type { AgentState } from '../../graph/types.ts';
import type { TabView } from './tab-view.ts';

/** A state to begin with, and everything about the session that is not in it. */
export type TabDocument = {
  readonly journalId: string;
  /** The journals that came before, as far as they are known, oldest first. */
  readonly earlier: readonly string[];
  readonly state: AgentState;
  readonly view: TabView;
};
