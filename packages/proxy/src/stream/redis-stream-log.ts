import {
  forgottenAfterMs,
  indexOf,
  createStreamListeners,
  logLimits,
  pageOf,
  pageBytes,
  type StreamHead,
  type StreamHint,
  type StreamLog,
  type StreamLogLimits,
} from './stream-log.ts';
import * as scripts from './redis-scripts.ts';

/** Options of {@link redisStreamLog}. */
export type RedisStreamLogOptions = StreamLogLimits & {
  /** A connected client: `await createClient({ url }).connect()` of the package `redis`. The caller closes it. */
  readonly client: RedisClient;
  /** The beginning of all keys and channels. Default: `vitrine:`. */
  readonly prefix?: string;
};

/**
 * Keeps streams in Redis (7 or newer), so that any proxy process can resume them. All keys of a stream are in one slot
 * of a cluster. One more connection is opened, for hints.
 */
export function redisStreamLog(options: RedisStreamLogOptions): StreamLog {
  const { client, prefix = 'vitrine:' } = options;
  const { finishedBytes, finishedMs } = logLimits(options);
  const hints = createRedisHints(client);
  const channel = (id: string): string => `${prefix}{${id}}:hints`;
  const keys = (id: string): string[] =>
    ['head', 'entries', 'readers'].map((name) => `${prefix}{${id}}:${name}`);
  const run = (
    script: string,
    keysOf: readonly string[],
    args: readonly (string | number)[],
  ): Promise<unknown> =>
    client.sendCommand(['EVAL', script, `${keysOf.length}`, ...keysOf, ...args.map(String)]);

  const readersOf = async (id: string): Promise<number> =>
    ((await run(scripts.head, keys(id), [])) as HeadReply | null)?.[3] ?? 0;

  /** Makes room among the ended streams, unread ones first. Each is in its own slot, so this takes several commands. */
  async function makeRoom(id: string, bytes: number): Promise<void> {
    const shared = [`${prefix}{finished}:by-time`, `${prefix}{finished}:bytes`];
    for (;;) {
      const found = (await run(scripts.finish, shared, [id, bytes, finishedBytes, finishedMs])) as string[];
      const oldest = found.filter((old) => old !== id);
      if (oldest.length === 0) return;
      const readers = await Promise.all(oldest.map(readersOf));
      const unread = oldest.filter((_, at) => readers[at] === 0);
      const read = oldest.filter((_, at) => readers[at] !== 0);
      const gone = (await run(scripts.drop, shared, [finishedBytes, ...unread, ...read])) as string[];
      await Promise.all(gone.map((old) => client.sendCommand(['DEL', ...keys(old)])));
      if (gone.length < oldest.length) return;
    }
  }

  return {
    async create(id, { ownerId, leaseMs, digest = null }) {
      const args = [JSON.stringify(ownerId), leaseMs, forgottenAfterMs, digest ?? ''];
      return (await run(scripts.create, keys(id), args)) === 1;
    },
    async append(id, entries, { ends = false, onlyIfAbandoned = false } = {}) {
      const args = [ends ? 1 : 0, onlyIfAbandoned ? 1 : 0, ends ? finishedMs : forgottenAfterMs, channel(id)];
      const bytes = Number(await run(scripts.append, keys(id), [...args, ...entries]));
      // The end is written even if making room fails; the next stream that ends makes room as well.
      if (ends && bytes >= 0) await makeRoom(id, bytes).catch(() => undefined);
      return bytes >= 0;
    },
    async read(id, after) {
      const last = indexOf(after);
      const reply = (await run(scripts.read, keys(id), [last ?? 0, pageBytes])) as PageReply | null;
      if (reply === null) return 'unknown';
      const [count, ended, abandoned, texts] = reply;
      if (last === null || last >= count) return 'offset-invalid';
      return pageOf(texts, { after: last, count, isEnded: ended === 1, isAbandoned: abandoned === 1 });
    },
    head: async (id) => headOf((await run(scripts.head, keys(id), [])) as HeadReply | null),
    renew: async (id, leaseMs) =>
      headOf((await run(scripts.renew, keys(id), [leaseMs, forgottenAfterMs])) as HeadReply | null),
    async attend(id, readerId, leaseMs) {
      await run(scripts.attend, keys(id), [readerId, leaseMs, channel(id)]);
    },
    watch: (id, listener) => hints.watch(channel(id), listener),
    close: hints.close,
  };
}

type HeadReply = readonly [owner: string, ended: number, abandoned: number, readers: number, digest: string];
type PageReply = readonly [count: number, ended: number, abandoned: number, entries: readonly string[]];

function headOf(reply: HeadReply | null): StreamHead | null {
  if (reply === null) return null;
  const [owner, ended, abandoned, readers, digest] = reply;
  return {
    digest: digest || null,
    ownerId: JSON.parse(owner) as string | null,
    isEnded: ended === 1,
    isAbandoned: abandoned === 1,
    readers,
  };
}

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

/** Messages of channels, over one connection from the first watcher on. A hint may be lost; readers poll as well. */
function createRedisHints(client: RedisClient): Pick<StreamLog, 'watch' | 'close'> {
  const listeners = createStreamListeners();
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
      const isFirst = !listeners.has(channel);
      const leave = listeners.add(channel, listener);
      if (isFirst) {
        ask(async (subscriber) => {
          await subscriber.subscribe(channel, (hint) => listeners.notify(channel, hint as StreamHint));
          // Changes before this moment were not heard.
          listeners.notifyAll(channel);
        });
      }
      return () => {
        leave();
        if (listeners.has(channel)) return;
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
