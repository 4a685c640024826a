import { Conversation, type SessionSnapshot } from '@vitrine/core';
import type { SnapshotStore } from '@vitrine/core/types';

/** Notifies the readers of single messages when their message changes, without calling the others. */
export type MessageChannel = {
  readonly subscribe: (messageId: string, listener: () => void) => () => void;
};

const channels = new WeakMap<SnapshotStore, MessageChannel>();

/**
 * Returns the one channel of a store: a single subscription for any number of messages on the page. While
 * an answer streams, only its own reader is called, so the cost of a frame does not depend on the length of
 * the history.
 */
export function messageChannel(store: SnapshotStore): MessageChannel {
  const known = channels.get(store);
  if (known) return known;
  const channel = createMessageChannel(store);
  channels.set(store, channel);
  return channel;
}

function createMessageChannel(store: SnapshotStore): MessageChannel {
  const readers = new Map<string, Set<() => void>>();
  let unsubscribe: (() => void) | null = null;

  function notify(next: SessionSnapshot, previous: SessionSnapshot): void {
    for (const id of changedIds(previous, next)) for (const listener of readers.get(id) ?? []) listener();
  }

  return {
    subscribe(messageId, listener) {
      const own = readers.get(messageId) ?? new Set();
      readers.set(messageId, own.add(listener));
      unsubscribe ??= store.subscribe(notify);
      return () => {
        own.delete(listener);
        if (own.size === 0 && readers.get(messageId) === own) readers.delete(messageId);
        if (readers.size > 0) return;
        unsubscribe?.();
        unsubscribe = null;
      };
    },
  };
}

type Identified = { readonly id: string };

function changedIds({ state: before }: SessionSnapshot, { state: after }: SessionSnapshot): Set<string> {
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
