import { Conversation, selectors, type SessionSnapshot } from '@vitrine/core';
import type { SnapshotStore } from '@vitrine/core/types';

/** Notifies the readers of a part of a session when that part changes, without calling the others. */
type Channel = { readonly subscribe: (key: string, listener: () => void) => () => void };

type Changed = (next: SessionSnapshot, previous: SessionSnapshot) => Iterable<string>;

const messageChannels = new WeakMap<SnapshotStore, Channel>();
const branchChannels = new WeakMap<SnapshotStore, Channel>();

/**
 * Returns the one channel of a store by message id: a single subscription for any number of messages on the
 * page. While an answer streams, only its own reader is called, so the cost of a frame does not depend on
 * the length of the history.
 */
export function messageChannel(store: SnapshotStore): Channel {
  return channelOf(store, messageChannels, changedMessages);
}

/**
 * Returns the one channel of a store that calls its readers, under one key, when a branch is left or a message
 * arrives, but not while a message streams.
 */
export function branchChannel(store: SnapshotStore): Channel {
  return channelOf(store, branchChannels, changedBranches);
}

/** The key of the readers of branches. */
export const anyBranch = '';

function changedBranches(next: SessionSnapshot, previous: SessionSnapshot): readonly string[] {
  return selectors.branches(next) === selectors.branches(previous) ? [] : [anyBranch];
}

type Identified = { readonly id: string };

function changedMessages({ state: after }: SessionSnapshot, { state: before }: SessionSnapshot): Set<string> {
  const changed = new Set<string>();
  const mark = (old: Identified | null | undefined, fresh: Identified | null | undefined): void => {
    if (old === fresh) return;
    if (old) changed.add(old.id);
    if (fresh) changed.add(fresh.id);
  };
  mark(Conversation.streamingMessage(before), Conversation.streamingMessage(after));
  const [old, fresh] = [Conversation.settledMessages(before), Conversation.settledMessages(after)];
  if (old === fresh) return changed;
  for (let index = 0; index < Math.max(old.length, fresh.length); index++) mark(old[index], fresh[index]);
  return changed;
}

function channelOf(store: SnapshotStore, known: WeakMap<SnapshotStore, Channel>, changed: Changed): Channel {
  const channel = known.get(store) ?? createChannel(store, changed);
  known.set(store, channel);
  return channel;
}

function createChannel(store: SnapshotStore, changed: Changed): Channel {
  const readers = new Map<string, Set<() => void>>();
  let unsubscribe: (() => void) | null = null;

  function notify(next: SessionSnapshot, previous: SessionSnapshot): void {
    for (const key of changed(next, previous)) for (const reader of readers.get(key) ?? []) reader();
  }

  return {
    subscribe(key, listener) {
      // A new function for each subscription, because one reader may subscribe twice.
      const reader = (): void => listener();
      const own = readers.get(key) ?? new Set();
      readers.set(key, own.add(reader));
      unsubscribe ??= store.subscribe(notify);
      return () => {
        own.delete(reader);
        if (own.size === 0 && readers.get(key) === own) readers.delete(key);
        if (readers.size > 0) return;
        unsubscribe?.();
        unsubscribe = null;
      };
    },
  };
}
