/** As much of a client of the package `redis` (node-redis, 5 or newer) as is needed: what `createClient` gives fits. */
export type RedisClient = {
  readonly sendCommand: (args: string[]) => Promise<unknown>;
  readonly duplicate: () => RedisSubscriber;
};

/** The connection of its own that Redis wants for subscriptions. */
export type RedisSubscriber = {
  readonly connect: () => Promise<unknown>;
  readonly on: (event: 'error', listener: (error: Error) => void) => unknown;
  readonly subscribe: (channel: string, listener: (message: string) => void) => Promise<unknown>;
  readonly unsubscribe: (channel: string) => Promise<unknown>;
  readonly destroy: () => void;
};
