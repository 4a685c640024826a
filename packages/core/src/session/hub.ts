import type { AgentDefinition } from '../agent/agent-definition.ts';
import type { ExecutionBudget } from '../graph/limits/execution-budget.ts';
import type { AgentState, ExecutionState } from '../graph/types.ts';
import { createListeners } from '../kit/listeners.ts';
import type { AgentChange } from '../run/events.ts';
import type { Journal } from '../run/journal.ts';
import type { SessionCommands } from './agent-session.ts';

/**
 * What a panel can look at: a session of this library, or anything else that tells of an agent by a journal. Where a
 * whole state takes the place of another, a new source with the new journal takes the place of the old one.
 */
export type HubSource = {
  /** The session's id. */
  readonly id: string;
  /** What people call it: the agent's name. */
  readonly name: string;
  readonly journal: Pick<Journal, 'id' | 'base' | 'state' | 'subscribe'>;
  /** What its next run may spend, as it stands; absent where nobody knows. */
  readonly budget?: () => ExecutionBudget;
  /** The definition that its next run goes by, as it stands; absent for what this library does not run. */
  readonly agent?: () => AgentDefinition;
  /** Whether somebody goes on with its run, on this page or in another tab; absent where nobody knows. */
  readonly isRunning?: () => boolean;
  /** What a store keeps of the time before; absent where nothing is stored. */
  readonly past?: () => Promise<StoredPast | null>;
  /** What may be asked of it; absent for what can only be watched. */
  readonly commands?: SessionCommands;
};

/** What is stored of a session: its journal as far as it was not folded away, and the executions before. */
export type StoredPast = {
  /** Finished executions that were replaced, oldest first. */
  readonly runs: readonly ExecutionState[];
  readonly journal: {
    readonly id: string;
    readonly base: AgentState;
    readonly events: readonly AgentChange[];
  };
};

/** Where sessions are announced, so that a panel finds them whatever framework made them. */
export type SessionHub = {
  readonly version: 2;
  /** What is live, oldest first; the same array until one comes or goes. */
  readonly sources: () => readonly HubSource[];
  readonly subscribe: (listener: () => void) => () => void;
  /** Announces a source, in the place of another one if it follows it. Returns the function that takes it off again. */
  readonly register: (source: HubSource, inPlaceOf?: HubSource) => () => void;
};

const key = Symbol.for('vitrine.session-hub.2');
type HubHolder = { [key]?: SessionHub };

/** The hub of this page. The first to ask makes it, so that two copies of the library share one. */
export function sessionHub(): SessionHub {
  const holder = globalThis as HubHolder;
  return (holder[key] ??= createSessionHub());
}

/** How a session is announced: one source at a time, a new one with every journal. */
export type Announcement = { readonly show: (source: HubSource) => void; readonly end: () => void };

export function createAnnouncement(): Announcement {
  let shown: { readonly source: HubSource; readonly leave: () => void } | null = null;
  return {
    show(source) {
      shown = { source, leave: sessionHub().register(source, shown?.source) };
    },
    end() {
      shown?.leave();
      shown = null;
    },
  };
}

/** A hub of its own, beside that of the page. */
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
