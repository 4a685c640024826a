import { type AgentState, type Message, sessionSelectors } from '@vitrine/core';

const { settledMessages, streamingMessage } = sessionSelectors;

/** Tells readers of single messages that theirs has changed, without asking all of them. */
export type MessageChannel = {
  readonly update: (state: AgentState) => void;
  readonly subscribe: (messageId: string, listener: () => void) => () => void;
};

/**
 * While an answer streams only its own reader is called, so that a frame costs the same however long the history is.
 */
export function createMessageChannel(initial: AgentState): MessageChannel {
  const listeners = new Map<string, Set<() => void>>();
  let current = initial;

  function notify(id: string | undefined): void {
    if (id !== undefined) for (const listener of listeners.get(id) ?? []) listener();
  }

  return {
    update(next) {
      const previous = current;
      current = next;
      const [before, after] = [settledMessages(previous), settledMessages(next)];
      if (before !== after) for (const id of changedIds(before, after)) notify(id);
      const [liveBefore, liveAfter] = [streamingMessage(previous), streamingMessage(next)];
      if (liveBefore === liveAfter) return;
      notify(liveAfter?.id);
      if (liveBefore?.id !== liveAfter?.id) notify(liveBefore?.id);
    },
    subscribe(messageId, listener) {
      const own = listeners.get(messageId) ?? new Set();
      listeners.set(messageId, own.add(listener));
      return () => {
        own.delete(listener);
        if (own.size === 0 && listeners.get(messageId) === own) listeners.delete(messageId);
      };
    },
  };
}

function changedIds(before: readonly Message[], after: readonly Message[]): string[] {
  const changed = new Set<string>();
  for (let index = 0; index < Math.max(before.length, after.length); index++) {
    const [old, fresh] = [before[index], after[index]];
    if (old === fresh) continue;
    if (old) changed.add(old.id);
    if (fresh) changed.add(fresh.id);
  }
  return [...changed];
}
