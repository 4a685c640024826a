import { createListeners } from '../kit/listeners.ts';
import type { SessionSnapshot, WritableSnapshotStore } from './agent-session.ts';

type Change = { readonly next: SessionSnapshot; readonly previous: SessionSnapshot };

/** Creates the default store of a session. */
export function createSnapshotStore(initial: () => SessionSnapshot): WritableSnapshotStore {
  const first = initial();
  const listeners = createListeners<Change>();
  let state = first;
  return {
    getState: () => state,
    getInitialState: () => first,
    subscribe: (listener) => listeners.add(({ next, previous }) => listener(next, previous)),
    setState(next) {
      const previous = state;
      state = next;
      listeners.notify({ next, previous });
    },
  };
}
