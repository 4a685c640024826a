import {
  createStreamListeners,
  logLimits,
  pageOf,
  forgottenAfterMs,
  indexOf,
  pageBytes,
  type StreamHead,
  type StreamLog,
  type StreamLogLimits,
  type StreamPage,
} from './stream-log.ts';

type Stream = {
  readonly ownerId: string | null;
  readonly digest: string | null;
  readonly entries: string[];
  readonly readers: Map<string, number>;
  bytes: number;
  isEnded: boolean;
  leaseUntil: number;
  /** The end of its retention for everybody, once the stream has ended. */
  keptUntil: number;
  forget: ReturnType<typeof setTimeout> | undefined;
};

/** Streams by their ids, for as long as they are kept. */
class KeptStreams {
  readonly #limits: Required<StreamLogLimits>;
  readonly #streams = new Map<string, Stream>();
  readonly #finished = new Set<string>();
  #bytes = 0;

  constructor(limits: Required<StreamLogLimits>) {
    this.#limits = limits;
  }

  get(id: string): Stream | undefined {
    return this.#streams.get(id);
  }

  add(id: string, stream: Stream): void {
    this.#streams.set(id, stream);
    this.touch(id, stream);
  }

  /** Marks a stream that is still written to. */
  touch(id: string, stream: Stream): void {
    this.#removeIn(id, stream, forgottenAfterMs);
  }

  /** Releases a reader; an ended stream may be kept for nobody else. */
  leave(id: string, stream: Stream): void {
    if (stream.isEnded) this.#removeIn(id, stream, Math.max(0, stream.keptUntil - performance.now()));
  }

  /** Marks a stream as ended, so that it counts for the limit of finished bytes. */
  finish(id: string, stream: Stream): void {
    const { finishedMs } = this.#limits;
    stream.isEnded = true;
    stream.keptUntil = performance.now() + finishedMs;
    this.#finished.add(id);
    this.#bytes += stream.bytes;
    this.#removeIn(id, stream, finishedMs);
    this.#makeRoom(id);
  }

  clear(): void {
    for (const id of this.#streams.keys()) this.#remove(id);
  }

  #remove(id: string): void {
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    clearTimeout(stream.forget);
    this.#streams.delete(id);
    if (this.#finished.delete(id)) this.#bytes -= stream.bytes;
  }

  #removeIn(id: string, stream: Stream, ms: number): void {
    clearTimeout(stream.forget);
    stream.forget = setTimeout(() => this.#removeUnread(id, stream), ms);
    (stream.forget as { unref?: () => void }).unref?.();
  }

  /** Removes a stream without readers; a slow reader still needs its end. */
  #removeUnread(id: string, stream: Stream): void {
    const readMs = readMsOf(stream);
    if (stream.isEnded && readMs > 0) this.#removeIn(id, stream, readMs);
    else this.#remove(id);
  }

  /** Removes ended streams over the limit, unread ones first. Readers of the newest still need its end. */
  #makeRoom(newest: string): void {
    for (const takesRead of [false, true]) {
      for (const id of this.#finished) {
        if (this.#bytes <= this.#limits.finishedBytes) return;
        const stream = this.#streams.get(id);
        if (id === newest || stream === undefined) continue;
        if (takesRead || readMsOf(stream) <= 0) this.#remove(id);
      }
    }
  }
}

/** The longest remaining lease of the readers, in milliseconds. */
function readMsOf({ readers }: Stream): number {
  return Math.max(0, ...readers.values()) - performance.now();
}

/**
 * Keeps streams in the memory of this process, which is the default. Other processes cannot see them. Bytes are counted
 * as characters of JSON.
 */
export function memoryStreamLog(limits: StreamLogLimits = {}): StreamLog {
  const streams = new KeptStreams(logLimits(limits));
  const listeners = createStreamListeners();

  return {
    async create(id, { ownerId, leaseMs, digest = null }) {
      if (streams.get(id) !== undefined) return false;
      const leaseUntil = performance.now() + leaseMs;
      const begun = { ownerId, digest, leaseUntil, entries: [], readers: new Map(), bytes: 0 };
      streams.add(id, { ...begun, isEnded: false, keptUntil: 0, forget: undefined });
      return true;
    },
    async append(id, entries, { ends = false, onlyIfAbandoned = false } = {}) {
      const stream = streams.get(id);
      if (stream === undefined || stream.isEnded || (onlyIfAbandoned && !isAbandoned(stream))) return false;
      for (const data of entries) {
        stream.entries.push(data);
        stream.bytes += data.length;
      }
      if (ends) streams.finish(id, stream);
      listeners.notify(id, 'entries');
      if (ends) listeners.notify(id, 'state');
      return true;
    },
    async read(id, after) {
      const stream = streams.get(id);
      return stream === undefined ? 'unknown' : pageAfter(stream, after);
    },
    head: async (id) => headOf(streams.get(id)),
    async renew(id, leaseMs) {
      const stream = streams.get(id);
      if (stream !== undefined && !stream.isEnded) {
        stream.leaseUntil = performance.now() + leaseMs;
        streams.touch(id, stream);
      }
      return headOf(stream);
    },
    async attend(id, readerId, leaseMs) {
      const stream = streams.get(id);
      if (stream === undefined) return;
      const isNew = !stream.readers.has(readerId);
      if (leaseMs > 0) stream.readers.set(readerId, performance.now() + leaseMs);
      else if (stream.readers.delete(readerId)) streams.leave(id, stream);
      if (isNew || leaseMs <= 0) listeners.notify(id, 'state');
    },
    watch: listeners.add,
    async close() {
      streams.clear();
      listeners.clear();
    },
  };
}

function isAbandoned({ isEnded, leaseUntil }: Stream): boolean {
  return !isEnded && leaseUntil <= performance.now();
}

function headOf(stream: Stream | undefined): StreamHead | null {
  if (stream === undefined) return null;
  const now = performance.now();
  for (const [readerId, until] of stream.readers) if (until <= now) stream.readers.delete(readerId);
  const { ownerId, digest, isEnded, readers } = stream;
  return { ownerId, digest, isEnded, isAbandoned: isAbandoned(stream), readers: readers.size };
}

function pageAfter(stream: Stream, offset: string | null): StreamPage | 'offset-invalid' {
  const after = indexOf(offset);
  const { entries, isEnded } = stream;
  if (after === null || after >= entries.length) return 'offset-invalid';
  let end = after + 1;
  for (let bytes = 0; end < entries.length && bytes < pageBytes; end++) bytes += entries[end]?.length ?? 0;
  const texts = entries.slice(after + 1, end);
  return pageOf(texts, { after, count: entries.length, isEnded, isAbandoned: isAbandoned(stream) });
}
