import { createHash, randomBytes } from 'node:crypto';
import type { JsonValue } from '@vitrine/core';
import pg from 'pg';
import { keyOf, type SessionAddress, type SessionBus } from '../host/session-host.ts';
import type { HostDatabase } from './host-database.ts';

/** The interval at which messages are sent, in milliseconds: a frame of a screen. */
const frameMs = 16;
/** The most characters of a notification. PostgreSQL takes less than 8,000 bytes. */
const chunkSize = 7900;
/** The pause before a lost connection is opened again, in milliseconds. */
const againMs = 500;

/**
 * A bus over notifications of PostgreSQL, for all processes of a host. The messages of a frame are sent as one batch, in
 * order. Its connection is opened for the first listener, and again when it is lost; messages of that time are lost too.
 */
export function createNotifyBus(
  url: string,
  { rows }: HostDatabase,
): SessionBus & { readonly close: () => Promise<void> } {
  const channels = new Map<string, Set<(message: JsonValue) => void>>();
  const sender = randomBytes(6).toString('hex');
  const receive = createBatchJoiner();
  const channelListener = createChannelListener(url, channels, ({ channel, payload = '' }) => {
    for (const message of receive(channel, payload))
      for (const listener of channels.get(channel) ?? []) queueMicrotask(() => listener(message));
  });
  let waiting = new Map<string, JsonValue[]>();
  let timer: ReturnType<typeof setTimeout> | null = null;
  let sentAt = 0;
  let batches = 0;
  let isClosed = false;
  let sending: Promise<void> = Promise.resolve();

  /** Sends what waits, after the listeners of this process listen. */
  async function send(): Promise<void> {
    timer = null;
    await channelListener.listening();
    const batch = waiting;
    waiting = new Map();
    const sent = [...batch].flatMap(([channel, messages]) =>
      chunksOf(`${sender} ${batches++}`, messages).map((payload) => [channel, payload] as const),
    );
    sentAt = performance.now();
    const values = [sent.map(([channel]) => channel), sent.map(([, payload]) => payload)];
    const sql =
      'SELECT pg_notify(channel, payload) FROM unnest($1::text[], $2::text[]) AS sent (channel, payload)';
    // Messages are not kept: whoever misses some reads what is stored.
    await rows(sql, values).catch(() => undefined);
  }

  return {
    say(address, message) {
      if (isClosed) return;
      const channel = channelOf(address);
      const messages = waiting.get(channel) ?? [];
      messages.push(message);
      waiting.set(channel, messages);
      timer ??= setTimeout(
        () => (sending = sending.then(send)),
        Math.max(0, sentAt + frameMs - performance.now()),
      );
    },
    listen(address, listener) {
      const channel = channelOf(address);
      const listeners = channels.get(channel) ?? new Set();
      channels.set(channel, listeners.add(listener));
      if (listeners.size === 1) channelListener.follow(channel);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0 || channels.get(channel) !== listeners) return;
        channels.delete(channel);
        channelListener.follow(channel);
      };
    },
    async close() {
      if (timer !== null) clearTimeout(timer);
      if (waiting.size > 0) sending = sending.then(send);
      isClosed = true;
      await sending;
      await channelListener.close();
    },
  };
}

function createChannelListener(
  url: string,
  channels: ReadonlyMap<string, unknown>,
  onNotification: (message: pg.Notification) => void,
) {
  let client: pg.Client | null = null;
  let isClosed = false;
  /** The channels to begin or end to listen to, with the next query. */
  const changed = new Set<string>();
  /** The work of the connection, one query after the other. */
  let queue: Promise<void> = Promise.resolve();

  function next(work: () => Promise<unknown>): void {
    const ignore = (): void => undefined;
    // A lost connection listens to all channels once it is open again.
    queue = queue.then(work).then(ignore, ignore);
  }

  async function connect(): Promise<void> {
    if (client !== null || isClosed || channels.size === 0) return;
    const opened = new pg.Client({ connectionString: url, application_name: 'vitrine bus' });
    const lose = (): void => {
      if (client === opened) client = null;
      void opened.end().catch(() => undefined);
      if (!isClosed) setTimeout(() => next(connect), againMs).unref();
    };
    opened.on('notification', onNotification);
    opened.on('error', () => undefined);
    try {
      await opened.connect();
      for (const channel of channels.keys()) await opened.query(`LISTEN ${channel}`);
      client = opened;
      opened.once('end', lose);
    } catch {
      lose();
    }
  }

  async function listenToChanged(): Promise<void> {
    const statements = [...changed].map((name) => `${channels.has(name) ? 'LISTEN' : 'UNLISTEN'} ${name}`);
    changed.clear();
    if (client === null) await connect();
    else await client.query(statements.join('; '));
  }

  return {
    /** Begins or ends to listen to a channel, as the map says. */
    follow(channel: string): void {
      changed.add(channel);
      if (changed.size === 1) next(listenToChanged);
    },
    /** Resolves when all that was asked so far is done. */
    listening: (): Promise<void> => queue,
    async close(): Promise<void> {
      isClosed = true;
      await queue;
      await client?.end().catch(() => undefined);
    },
  };
}

/** The channel of a session: a name of at most 63 letters. */
function channelOf(address: SessionAddress): string {
  return `vitrine_${createHash('sha256').update(keyOf(address)).digest('hex').slice(0, 40)}`;
}

/**
 * The payloads of a batch. Other letters than those of ASCII are escaped, so that a letter is a byte; each payload is
 * unlike all others, because PostgreSQL drops equal ones of a transaction.
 */
export function chunksOf(batch: string, messages: readonly JsonValue[]): readonly string[] {
  const text = JSON.stringify(messages).replaceAll(
    /[\u007f-\uffff]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const size = chunkSize - batch.length - 16;
  const total = Math.ceil(text.length / size);
  return Array.from(
    { length: total },
    (_, index) => `${batch} ${index} ${total} ${text.slice(index * size, (index + 1) * size)}`,
  );
}

/** Joins the payloads of batches. A batch of which a part is missing is dropped with the next one of its sender. */
export function createBatchJoiner(): (channel: string, payload: string) => readonly JsonValue[] {
  const open = new Map<string, { readonly batch: string; readonly parts: string[] }>();
  return (channel, payload) => {
    const [head, sender, batch, index, total] = /^(\S+) (\d+) (\d+) (\d+) /.exec(payload) ?? [];
    if (head === undefined || sender === undefined || batch === undefined) return [];
    const key = `${channel} ${sender}`;
    const found = open.get(key);
    const received = found?.batch === batch && index !== '0' ? found : { batch, parts: [] };
    if (received.parts.length !== Number(index)) {
      open.delete(key);
      return [];
    }
    received.parts.push(payload.slice(head.length));
    if (received.parts.length < Number(total)) {
      open.set(key, received);
      return [];
    }
    open.delete(key);
    return JSON.parse(received.parts.join('')) as JsonValue[];
  };
}
