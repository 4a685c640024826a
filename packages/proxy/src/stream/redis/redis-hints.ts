import type { RedisClient, RedisSubscriber } from './redis-client.ts';

/** Messages of channels, over one connection for all of them. A hint may be lost; waiting readers poll as well. */
export type RedisHints = {
  readonly watch: (channel: string, listener: (message: string) => void) => () => void;
  readonly close: () => Promise<void>;
};

/** Connects when the first watcher comes. */
export function createRedisHints(client: RedisClient): RedisHints {
  const listeners = new Map<string, Set<(message: string) => void>>();
  let connecting: Promise<RedisSubscriber> | null = null;
  let opened: RedisSubscriber | null = null;

  function connection(): Promise<RedisSubscriber> {
    connecting ??= (async () => {
      const subscriber = client.duplicate();
      opened = subscriber;
      // The client reconnects by itself; without a listener an error would end the process.
      subscriber.on('error', () => undefined);
      await subscriber.connect();
      return subscriber;
    })();
    connecting.catch(() => (connecting = null));
    return connecting;
  }

  const ask = (what: (subscriber: RedisSubscriber) => Promise<unknown>): void =>
    void connection()
      .then(what)
      .catch(() => undefined);

  return {
    watch(channel, listener) {
      const own = listeners.get(channel) ?? new Set();
      listeners.set(channel, own.add(listener));
      const hear = (message: string): void => {
        for (const each of listeners.get(channel) ?? []) each(message);
      };
      if (own.size === 1) {
        ask(async (subscriber) => {
          await subscriber.subscribe(channel, hear);
          // Changes before this moment were not heard.
          for (const hint of ['entries', 'state']) hear(hint);
        });
      }
      return () => {
        if (!own.delete(listener) || own.size > 0) return;
        if (listeners.get(channel) === own) listeners.delete(channel);
        // A new watcher may come before the connection has handled this.
        ask(async (subscriber) => {
          if (!listeners.has(channel)) await subscriber.unsubscribe(channel);
        });
      };
    },
    async close() {
      listeners.clear();
      // The connection may still be retrying, as long as Redis is away.
      const subscriber = opened;
      opened = null;
      connecting = null;
      try {
        subscriber?.destroy();
      } catch {
        // It has closed by itself.
      }
    },
  };
}
