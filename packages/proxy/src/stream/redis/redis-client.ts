/**
 * The part of a client of the package `redis` (node-redis, 5 or newer) that is used; the result of `createClient` fits.
 */
export type RedisClient = {
  readonly sendCommand: (args: string[]) => Promise<unknown>;
  readonly duplicate: () => RedisSubscriber;
};

/** The separate connection that Redis needs for subscriptions. */
export type RedisSubscriber = {
  readonly connect: () => Promise<unknown>;
  readonly on: (event: 'error', listener: (error: Error) => void) => unknown;
  readonly subscribe: (channel: string, listener: (message: string) => void) => Promise<unknown>;
  readonly unsubscribe: (channel: string) => Promise<unknown>;
  readonly destroy: () => void;
};
