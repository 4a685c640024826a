import type { AgentState } from '../graph/types.ts';
import type { AgentEvent } from '../run/events.ts';
import { type HubSource, type SessionHub, sessionHub } from '../session/hub.ts';

/**
 * What was heard: the sources that there are now and can be read, each with the state from which it is heard, or an
 * event of one of them.
 */
export type Heard =
  | { readonly sources: ReadonlyMap<HubSource, AgentState> }
  | { readonly source: HubSource; readonly event: AgentEvent; readonly stateAfter: AgentState };

/** Hears all sources of a hub, and keeps what it hears until somebody takes it. */
export type SourcesHeard = {
  /** Tells of all that was heard so far, and from then on of everything as it comes. */
  readonly tellTo: (listener: (heard: Heard) => void) => void;
  /** Hears no more. */
  readonly end: () => void;
};

/**
 * Hears the sources of a hub from now on. It is small, so that a page can begin with it, and load the recorder that
 * takes what it has heard when there is time: `createRecorder({ heard: hearSources() })` misses nothing. It stands in an
 * entry of its own, `@vitrine/core/hear`, since some bundlers load all of an entry with a part of it.
 */
export function hearSources(hub: SessionHub = sessionHub()): SourcesHeard {
  const waiting: Heard[] = [];
  const leaves = new Map<HubSource, () => void>();
  const begun = new WeakMap<HubSource, AgentState>();
  let tell = (heard: Heard): void => void waiting.push(heard);

  function follow(): void {
    const sources = hub.sources();
    for (const [source, leave] of leaves)
      if (!sources.includes(source)) {
        leave();
        leaves.delete(source);
      }
    const states = new Map<HubSource, AgentState>();
    for (const source of sources) {
      const state = begun.get(source) ?? stateOf(source);
      if (state === null) continue;
      begun.set(source, state);
      states.set(source, state);
    }
    // Before anything of a new one is heard, whoever is told knows its state.
    tell({ sources: states });
    for (const source of states.keys())
      if (!leaves.has(source))
        leaves.set(
          source,
          source.journal.subscribe((event, stateAfter) => tell({ source, event, stateAfter })),
        );
  }

  follow();
  const leaveHub = hub.subscribe(follow);
  return {
    tellTo(listener) {
      tell = listener;
      for (const heard of waiting.splice(0)) listener(heard);
    },
    end() {
      leaveHub();
      for (const leave of leaves.values()) leave();
      leaves.clear();
    },
  };
}

/** Null for what cannot be read: that is no reason to miss the others. */
function stateOf({ journal }: HubSource): AgentState | null {
  try {
    return journal.state();
  } catch {
    return null;
  }
}
