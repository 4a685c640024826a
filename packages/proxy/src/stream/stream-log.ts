import { longestTimerMs } from '@vitrine/core/internal/kit/async';
import { late, orLate } from '../kit/time.ts';

/** One event of a stream as it was written: JSON on one line. */
export type StreamEntry = {
  /** The place after this entry, for `Last-Event-ID`. Clients must treat it as opaque. */
  readonly offset: string;
  /** The number of the entry in its stream, from 0 on. */
  readonly index: number;
  readonly data: string;
};

/** Facts about a stream besides its entries. */
export type StreamHead = {
  /** The principal that owns it; null without a sign-in. For everybody else the stream does not exist. */
  readonly ownerId: string | null;
  /** The digest that it was created with. A log without digests cannot notice a key that returns with another body. */
  readonly digest?: string | null;
  /** True once its last entry has been written. */
  readonly isEnded: boolean;
  /** True while it has not ended and its writer's lease has run out. */
  readonly isAbandoned: boolean;
  /** The current number of readers in all processes. */
  readonly readers: number;
};

/** A part of a stream. */
export type StreamPage = Pick<StreamHead, 'isAbandoned'> & {
  /** About 64 KiB at most, though at least one entry when there is one. */
  readonly entries: readonly StreamEntry[];
  /** True when more entries followed at the time of the read. */
  readonly hasMore: boolean;
  /** True when the stream has ended and nothing follows these entries. */
  readonly isEnd: boolean;
};

type AppendOptions = {
  /** Marks the last of them as the last of the stream. */
  readonly ends?: boolean;
  /** Writes only when the writer's lease has run out: for readers that end an abandoned stream. */
  readonly onlyIfAbandoned?: boolean;
};

/**
 * A kind of change: `entries` when there is more to read, `state` when readers came or left or the stream ended. It is
 * a hint, which may be lost.
 */
export type StreamHint = 'entries' | 'state';

/**
 * A store for the events of streams, so that they can be read again: after a disconnect, by several readers, and in
 * another process than the one that asks the model. An event is delivered only after it was stored. Every method is
 * atomic, may be called from several processes at once, and rejects when the log cannot be reached.
 *
 * A stream has one writer for all its life, the one whose `create` gave true. It ends once: by an entry of its writer,
 * of a caller that cancels it, or of a reader when the writer has died. Nothing can be written after that.
 */
export type StreamLog = {
  /** Creates a stream; false, changing nothing, when the id exists. `leaseMs`: see `renew`. */
  readonly create: (
    id: string,
    options: {
      readonly ownerId: string | null;
      readonly leaseMs: number;
      /** The digest of the request, kept with the stream; null without an idempotency key. */
      readonly digest?: string | null;
    },
  ) => Promise<boolean>;
  /** Appends entries, all or none; false when the stream has ended, is gone, or is not abandoned as required. */
  readonly append: (id: string, entries: readonly string[], options?: AppendOptions) => Promise<boolean>;
  /** Reads the next entries strictly after an offset; null reads from the first one on. It does not wait. */
  readonly read: (id: string, after: string | null) => Promise<StreamPage | 'unknown' | 'offset-invalid'>;
  /** The head of a stream; null when it does not exist or was removed. */
  readonly head: (id: string) => Promise<StreamHead | null>;
  /** Extends the writer's lease to this many milliseconds from now. */
  readonly renew: (id: string, leaseMs: number) => Promise<StreamHead | null>;
  /** Extends a reader's lease to this many milliseconds from now; 0 when it leaves. */
  readonly attend: (id: string, readerId: string, leaseMs: number) => Promise<void>;
  /** Calls the listener soon after changes of a stream, made by any process, until the returned function is called. */
  readonly watch: (id: string, listener: (hint: StreamHint) => void) => () => void;
  /** Releases timers and subscriptions, but neither the streams nor a given client. */
  readonly close: () => Promise<void>;
};

/** Retention limits that keep a log bounded. */
export type StreamLogLimits = {
  /**
   * The most bytes of all ended streams; the newest stays. Streams without readers go first, the oldest before the
   * others, and then the oldest with readers. Those readers' connections end without a last event, and a client that
   * returns finds no stream. Default: 64 MiB.
   */
  readonly finishedBytes?: number;
  /**
   * Milliseconds that a stream can be read after its end; a reader of that time may read to its end. Default: 10
   * minutes.
   */
  readonly finishedMs?: number;
};

export const defaultLogLimits: Required<StreamLogLimits> = {
  finishedBytes: 64 * 1024 * 1024,
  finishedMs: 10 * 60_000,
};

/** The limits of a log with their defaults; a time of Infinity does not run out. */
export function logLimits(given: StreamLogLimits): Required<StreamLogLimits> {
  const { finishedBytes = defaultLogLimits.finishedBytes, finishedMs = defaultLogLimits.finishedMs } = given;
  return { finishedBytes, finishedMs: Math.min(finishedMs, longestTimerMs) };
}

/** Time after which an abandoned stream without readers is removed, because its process died. */
export const forgottenAfterMs = 60 * 60_000;

export const pageBytes = 64 * 1024;

/** The index of the entry that an offset names, -1 for null; null for an invalid offset. */
export function indexOf(offset: string | null): number | null {
  if (offset === null) return -1;
  return /^(0|[1-9]\d{0,8})$/.test(offset) ? Number(offset) : null;
}

/** The error of a log of streams that failed; its cause is the log's own error. */
export class StreamLogFailure extends Error {
  override readonly name = 'StreamLogFailure';
}

/** The longest wait for a log in milliseconds. The client of a storage that hangs would keep its commands. */
const answerMs = 4000;

/** Wraps a log whose errors, and answers that take too long, become {@link StreamLogFailure}: 503 at the proxy. */
export function withKnownFailures(log: StreamLog): StreamLog {
  return {
    create: (...asked) => askLog(() => log.create(...asked)),
    append: (...asked) => askLog(() => log.append(...asked)),
    read: (...asked) => askLog(() => log.read(...asked)),
    head: (...asked) => askLog(() => log.head(...asked)),
    renew: (...asked) => askLog(() => log.renew(...asked)),
    attend: (...asked) => askLog(() => log.attend(...asked)),
    watch: log.watch,
    close: log.close,
  };
}

async function askLog<Value>(ask: () => Promise<Value>): Promise<Value> {
  try {
    const answer = await orLate(answerMs, ask());
    if (answer !== late) return answer;
  } catch (cause) {
    throw new StreamLogFailure('The log of streams failed', { cause });
  }
  const cause = new Error(`No answer came within ${answerMs} ms.`);
  throw new StreamLogFailure('The log of streams failed', { cause });
}

/** Creates an empty list of listeners, for an implementation of {@link StreamLog}. */
export function createStreamListeners() {
  const listeners = new Map<string, Set<(hint: StreamHint) => void>>();
  const notify = (id: string, hint: StreamHint): void => {
    for (const listener of listeners.get(id) ?? []) listener(hint);
  };
  return {
    /** Adds a listener; the returned function removes it. */
    add(id: string, listener: (hint: StreamHint) => void): () => void {
      const own = listeners.get(id) ?? new Set();
      listeners.set(id, own.add(listener));
      return () => {
        own.delete(listener);
        if (own.size === 0 && listeners.get(id) === own) listeners.delete(id);
      };
    },
    has: (id: string): boolean => listeners.has(id),
    notify,
    /** Tells that anything may have changed, after a time in which nothing could be heard. Without an id: of all streams. */
    notifyAll(only?: string): void {
      const ids = only === undefined ? listeners.keys() : [only];
      for (const id of ids) for (const hint of ['entries', 'state'] as const) notify(id, hint);
    },
    clear: (): void => listeners.clear(),
  };
}

/** A page with the entries after an index, of a stream that has so many in all. */
export function pageOf(
  texts: readonly string[],
  stream: { after: number; count: number; isEnded: boolean; isAbandoned: boolean },
): StreamPage {
  const { isEnded, isAbandoned } = stream;
  const first = stream.after + 1;
  const entries = texts.map((data, at) => ({ offset: `${first + at}`, index: first + at, data }));
  const hasMore = first + entries.length < stream.count;
  return { entries, hasMore, isEnd: isEnded && !hasMore, isAbandoned };
}
