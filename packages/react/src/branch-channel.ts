import { selectors } from '@vitrine/core';
import type { SnapshotStore } from '@vitrine/core/types';

/** Notifies readers when a branch is left or a message arrives, but not while a message streams. */
export type BranchChannel = { readonly subscribe: (listener: () => void) => () => void };

const channels = new WeakMap<SnapshotStore, BranchChannel>();

/** Returns the one channel of a store. A frame then costs the same for any number of messages. */
export function branchChannel(store: SnapshotStore): BranchChannel {
  const known = channels.get(store);
  if (known) return known;
  const channel = createBranchChannel(store);
  channels.set(store, channel);
  return channel;
}

function createBranchChannel(store: SnapshotStore): BranchChannel {
  const readers = new Set<() => void>();
  let unsubscribe: (() => void) | null = null;
  return {
    subscribe(listener) {
      // A new function for each subscription, because one reader may subscribe twice.
      const own = (): void => listener();
      readers.add(own);
      unsubscribe ??= store.subscribe((next, previous) => {
        if (selectors.branches(next) === selectors.branches(previous)) return;
        for (const reader of readers) reader();
      });
      return () => {
        readers.delete(own);
        if (readers.size > 0) return;
        unsubscribe?.();
        unsubscribe = null;
      };
    },
  };
}
