import type { AgentDefinition } from '../agent/agent-definition.ts';
import type { ExecutionBudget } from '../graph/execution-budget.ts';
import { createListeners } from '../kit/listeners.ts';
import type { Journal } from '../run/journal.ts';
import type { SessionCommands, SnapshotStore } from './agent-session.ts';
import type { SessionStore, StoredPast } from './store/session-store.ts';

/**
 * A source for the panel: a session of this library, or anything else with an agent and a journal.
 * When a whole state replaces another, a new source with the new journal replaces the old one.
 */
export type HubSource = {
  readonly id: string;
  /** The display name: the agent's name. */
  readonly name: string;
  readonly journal: Pick<Journal, 'id' | 'base' | 'state' | 'subscribe'>;
  /** The facts that it can tell of its runs. Absent for sessions of this library, which know all of them. */
  readonly knows?: SourceKnowledge;
  /** The current budget of its next run; absent when unknown. */
  readonly budget?: () => ExecutionBudget;
  /** The current definition for its next run; absent for agents that this library does not run. */
  readonly agent?: () => AgentDefinition;
  /** True while its run is active on this page or in another tab; absent when unknown. */
  readonly isRunning?: () => boolean;
  /** Reads its earlier events from its store, or those of another session there; absent when nothing is stored. */
  readonly past?: (id?: string) => Promise<StoredPast | null>;
  /** Lists the sessions of its store; absent when nothing is stored. */
  readonly list?: SessionStore['list'];
  /** The published snapshots: where it runs, what waits, how it is saved; absent for a source without a session. */
  readonly snapshots?: Pick<SnapshotStore, 'getState' | 'subscribe'>;
  /** True when another tab or a server runs it, and this page follows; absent when unknown. */
  readonly isFollowing?: () => boolean;
  /** The version of the agent that runs it, here or elsewhere; null for one without, absent when unknown. */
  readonly version?: () => string | null;
  /** Its commands; absent for a source that can only be watched. */
  readonly commands?: SessionCommands;
};

/** The facts that a source can tell of its runs. Others are shown as not known, and no finding relies on them. */
export type SourceKnowledge = {
  /** The request of each model call: system prompt, tools, model, settings, and which messages were sent. */
  readonly prompt: boolean;
  /** The tokens and the cost of each model call. */
  readonly usage: boolean;
  /** The start and the end of each tool call, measured where it ran. */
  readonly times: boolean;
  /** The result of each tool call. Without it, a call whose result is not told may have one. */
  readonly results: boolean;
};

/** The registry of live sessions, so that a panel finds them in any framework. */
export type SessionHub = {
  readonly version: 2;
  /** All live sources, oldest first; the same array until one comes or goes. */
  readonly sources: () => readonly HubSource[];
  readonly subscribe: (listener: () => void) => () => void;
  /** Registers a source, in place of another one where that is given. Returns the function that removes it. */
  readonly register: (source: HubSource, inPlaceOf?: HubSource) => () => void;
};

const key = Symbol.for('vitrine.session-hub.2');

/** The hub of this page. The first caller creates it, so that two copies of the library share one. */
export function sessionHub(): SessionHub {
  const holder = globalThis as { [key]?: SessionHub };
  return (holder[key] ??= createSessionHub());
}

/** Creates a hub apart from that of the page. */
export function createSessionHub(): SessionHub {
  const listeners = createListeners<void>();
  let sources: readonly HubSource[] = [];
  const replace = (next: readonly HubSource[]): void => {
    sources = next;
    listeners.notify();
  };
  return {
    version: 2,
    sources: () => sources,
    subscribe: listeners.add,
    register(source, inPlaceOf) {
      const isFollowing = inPlaceOf !== undefined && sources.includes(inPlaceOf);
      replace(
        isFollowing
          ? sources.map((candidate) => (candidate === inPlaceOf ? source : candidate))
          : [...sources, source],
      );
      return () => {
        if (sources.includes(source)) replace(sources.filter((candidate) => candidate !== source));
      };
    },
  };
}
