import { longestTimerMs } from '../longest-timer.ts';

/** One event of a stream as it was written: JSON on one line. */
export type StreamEntry = {
  /** Names the place behind this entry, for `Last-Event-ID`. Clients must not read anything into it. */
  readonly offset: string;
  /** The number of the entry in its stream, from 0 on. */
  readonly index: number;
  readonly data: string;
};

/** What is known of a stream besides its entries. */
export type StreamHead = {
  /** The principal that it belongs to; null where nobody signs in. For everybody else it does not exist. */
  readonly ownerId: string | null;
  /** Its last entry has been written. */
  readonly isEnded: boolean;
  /** It has not ended, and its writer has not said for the time of its lease that it is there. */
  readonly isAbandoned: boolean;
  /** How many read it at the moment, in all processes together. */
  readonly readers: number;
};

/** A part of a stream. */
export type StreamPage = Pick<StreamHead, 'isAbandoned'> & {
  /** About 256 KiB at most, though at least one when there is one. */
  readonly entries: readonly StreamEntry[];
  /** More was written behind these entries when they were read. */
  readonly hasMore: boolean;
  /** The stream has ended, and nothing comes behind these entries. */
  readonly isEnd: boolean;
};

/** How entries are written. */
export type AppendOptions = {
  /** The last of them is the last of the stream. */
  readonly ends?: boolean;
  /** Only when the writer's lease has run out: for readers who end what nobody writes any more. */
  readonly onlyIfAbandoned?: boolean;
};

/** What has changed: there is more to read, or readers came and went or the stream ended. A hint, which may be lost. */
export type StreamHint = 'entries' | 'state';

/**
 * Where the events of streams are kept, so that they can be read again: after a cut, by several readers, and in another
 * process than the one that asks the model. An event is delivered only when it is here. Every method is atomic and may
 * be called from several processes at once; every method rejects when the log cannot be reached. The two that every event
 * goes through may also answer at once.
 *
 * A stream has one writer for all its life, the one whose `create` gave true. It ends once: by an entry of its writer,
 * of whoever cancels it, or of a reader when the writer has died; nothing can be written after that.
 */
export type StreamLog = {
  /** Begins a stream; false, changing nothing, when there is one of that id. `leaseMs`: see `renew`. */
  readonly create: (
    id: string,
    options: { readonly ownerId: string | null; readonly leaseMs: number },
  ) => Promise<boolean>;
  // What these two answer is written out: other libraries have to be able to name it in their declarations.
  /** Writes entries behind the others, all or none; false when the stream has ended, is gone, or is not abandoned as asked. */
  readonly append: (
    id: string,
    entries: readonly string[],
    options?: AppendOptions,
  ) => boolean | Promise<boolean>;
  /** The next entries strictly behind an offset, from the first on for null. Waits for nothing. */
  readonly read: (
    id: string,
    after: string | null,
  ) => StreamPage | 'unknown' | 'offset-invalid' | Promise<StreamPage | 'unknown' | 'offset-invalid'>;
  /** Null when there is no such stream, or no longer. */
  readonly head: (id: string) => Promise<StreamHead | null>;
  /** The writer says that it will be there for this many milliseconds from now. */
  readonly renew: (id: string, leaseMs: number) => Promise<StreamHead | null>;
  /** A reader says that it will be there for this many milliseconds from now; 0 when it leaves. */
  readonly attend: (id: string, readerId: string, leaseMs: number) => Promise<void>;
  /** Calls the listener soon after changes of a stream, made by whomever, until the function that it gives is called. */
  readonly watch: (id: string, listener: (hint: StreamHint) => void) => () => void;
  /** Lets go of timers and subscriptions; not of the streams, nor of a client that it was given. */
  readonly close: () => Promise<void>;
};

/** What every log forgets, so that it stays bounded. */
export type StreamLogLimits = {
  /**
   * The most that streams which have ended may take, all together; the newest stays. Those that nobody reads go first,
   * the oldest before the others; where they are not enough, the oldest that are read: their readers' connections end
   * without a last event, and who comes back finds no such stream. Default: 64 MiB.
   */
  readonly finishedBytes?: number;
  /** How long a stream can be read after its end, in milliseconds; by those who read it then, to its end. Default: 10 minutes. */
  readonly finishedMs?: number;
};

/** The limits of a log that is given none. */
export const defaultLogLimits: Required<StreamLogLimits> = {
  finishedBytes: 64 * 1024 * 1024,
  finishedMs: 10 * 60_000,
};

/** The limits of a log with their defaults; a time of Infinity does not run out. */
export function logLimits(given: StreamLogLimits): Required<StreamLogLimits> {
  const { finishedBytes = defaultLogLimits.finishedBytes, finishedMs = defaultLogLimits.finishedMs } = given;
  return { finishedBytes, finishedMs: Math.min(finishedMs, longestTimerMs) };
}

/** Streams that were neither written to nor ended for this long are forgotten: their process has died, and nobody read. */
export const forgottenAfterMs = 60 * 60_000;

/** About how much one page may hold. */
export const pageBytes = 256 * 1024;

/** The index of the entry that an offset names, -1 for null; null for what was never an offset. */
export function indexOf(offset: string | null): number | null {
  if (offset === null) return -1;
  return /^(0|[1-9]\d{0,8})$/.test(offset) ? Number(offset) : null;
}
