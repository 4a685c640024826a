import { Conversation } from '@vitrine/core';
import type { SnapshotStore } from '@vitrine/core/types';

/** Tells readers when a line was left or a message has come, and not for what streams. */
export type BranchChannel = { readonly subscribe: (listener: () => void) => () => void };

const channels = new WeakMap<SnapshotStore, BranchChannel>();

/** The one channel of a store, so that a frame costs the same however many messages ask. */
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
      // Each with a function of its own: one reader may listen twice.
      const own = (): void => listener();
      readers.add(own);
      unsubscribe ??= store.subscribe((next, previous) => {
        if (Conversation.branches(next) === Conversation.branches(previous)) return;
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
