import type { AgentState } from '@vitrine/core/internal/graph/types';
import type { AgentEvent } from '@vitrine/core/internal/run/events';
import { type HubSource, type SessionHub, sessionHub } from '@vitrine/core/internal/session/hub';

// The part of inspect that a page loads before the recorder.

/** The current readable sources with their states when listening began, or an event of one of them. */
type BufferedEvent =
  | { readonly sources: ReadonlyMap<HubSource, AgentState> }
  | { readonly source: HubSource; readonly event: AgentEvent; readonly stateAfter: AgentState };

/** Listens to all sources of a hub, and keeps notifications until somebody takes them. */
export type EventBuffer = {
  /** Calls the listener with all notifications so far, and from then on with every new one. */
  readonly forwardTo: (listener: (event: BufferedEvent) => void) => void;
  /** Stops listening. */
  readonly end: () => void;
};

/**
 * Listens to the sources of a hub from now on, for a recorder that a page loads later. It is small, and an entry of its
 * own, because some bundlers load a whole entry for one part of it.
 */
export function bufferEvents(hub: SessionHub = sessionHub()): EventBuffer {
  const waiting: BufferedEvent[] = [];
  const leaves = new Map<HubSource, () => void>();
  const begun = new WeakMap<HubSource, AgentState>();
  let enqueue = (event: BufferedEvent): void => void waiting.push(event);

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
    // The listener receives the state of a new source before its first event.
    enqueue({ sources: states });
    for (const source of states.keys())
      if (!leaves.has(source))
        leaves.set(
          source,
          source.journal.subscribe((event, stateAfter) => enqueue({ source, event, stateAfter })),
        );
  }

  follow();
  const leaveHub = hub.subscribe(follow);
  return {
    forwardTo(listener) {
      enqueue = listener;
      for (const event of waiting.splice(0)) listener(event);
    },
    end() {
      leaveHub();
      for (const leave of leaves.values()) leave();
      leaves.clear();
    },
  };
}

/** Null for a source that cannot be read, so that the others are still recorded. */
function stateOf({ journal }: HubSource): AgentState | null {
  try {
    return journal.state();
  } catch {
    return null;
  }
}
