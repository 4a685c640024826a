import type { JsonValue } from '@vitrine/core';
import { keyOf, type SessionBus } from '../host/session-host.ts';

/** A bus in the memory of one process. Listeners get messages in their order, and after `say` has returned. */
export function createMemoryBus(): SessionBus {
  const listeners = new Map<string, Set<(message: JsonValue) => void>>();
  return {
    say(address, message) {
      for (const listener of listeners.get(keyOf(address)) ?? []) queueMicrotask(() => listener(message));
    },
    listen(address, listener) {
      const key = keyOf(address);
      const all = listeners.get(key) ?? new Set();
      listeners.set(key, all.add(listener));
      return () => {
        all.delete(listener);
        if (all.size === 0 && listeners.get(key) === all) listeners.delete(key);
      };
    },
  };
}
