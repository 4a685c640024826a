import { hexOf, sha256 } from '../kit/digest.ts';
import { AgentError } from '@vitrine/core';
import type { ModelCall } from './model-calls.ts';
import { type InferenceInit, type InferenceRun, runInference } from './run-inference.ts';
import { streamErrors } from './stream-errors.ts';
import type { StreamLimits } from './stream-limits.ts';
import type { StreamLog } from './stream-log.ts';
import { openStreamReader, type StreamReader } from './stream-reader.ts';
import { longestTimerMs } from '@vitrine/core/internal/kit/async';
import { within } from '../kit/time.ts';

type InferenceStart = Pick<InferenceInit, 'others' | 'switched' | 'onSwitch' | 'onEnd'> &
  ModelCall & {
    readonly ownerId: string | null;
    /** The same owner and key give the same stream as long as it is kept; null for a new stream. */
    readonly key: string | null;
    /** The digest of the body; null without a key. */
    readonly digest: string | null;
  };

type InferenceOpen = { readonly ownerId: string | null; readonly after: string | null };

export type FoundInference = { readonly id: string; readonly reader: StreamReader };

/** The inferences that run here, and all streams in the log. Streams of other owners are invisible. */
export type Inferences = ReturnType<typeof createInferences>;

/** The most attempts to start a stream that disappears before it is read. */
const attempts = 3;

export function createInferences(log: StreamLog, limits: StreamLimits) {
  const running = new RunningInferences(limits.runningBytes);
  const { leaseMs } = limits;

  async function open(id: string, options: InferenceOpen): ReturnType<typeof openStreamReader> {
    const reader = await openStreamReader(log, id, {
      ...options,
      leaseMs,
      onTaken: (index) => running.get(id)?.took(index),
      onClose: () => running.countReader(id, -1),
    });
    if (typeof reader !== 'string') running.countReader(id, 1);
    return reader;
  }

  function run(id: string, { onEnd, ...asked }: InferenceStart): void {
    const inference = runInference({
      ...asked,
      log,
      id,
      limits,
      readersHere: () => running.readersOf(id),
      onGrow: (bytes) => running.grow(id, bytes),
      onEnd(report, call) {
        onEnd(report, call);
        running.delete(id);
      },
    });
    running.add(id, inference);
  }

  async function start(
    asked: InferenceStart,
  ): Promise<(FoundInference & { readonly isNew: boolean }) | 'key-reused'> {
    const { ownerId, key, digest } = asked;
    const id = await streamId(ownerId, key);
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const isNew = await log.create(id, { ownerId, leaseMs, digest });
      const found = await openBegun(log, open, id, asked);
      if (found === 'key-reused') return found;
      // The existing stream may have been forgotten in between; then a new one starts.
      if (found === null) continue;
      if (isNew) run(id, asked);
      return { ...found, isNew };
    }
    throw new AgentError(
      'internal-error',
      'The log of streams removed a stream that was just created. Check its limits.',
    );
  }

  const has = async (id: string, ownerId: string | null): Promise<boolean> =>
    (await log.head(id))?.ownerId === ownerId;

  return {
    /** Starts an inference, unless it was started before, and opens a reader. `onEnd` is for a new one. */
    start: (asked: InferenceStart) => running.countStart(() => start(asked)),
    isBegun: async (ownerId: string | null, key: string | null): Promise<boolean> =>
      key !== null && has(await streamId(ownerId, key), ownerId),
    /** A reader of the inference with the same key; null for a new key. */
    find: async (
      asked: Pick<InferenceStart, 'ownerId' | 'key' | 'digest'>,
    ): Promise<FoundInference | 'key-reused' | null> =>
      asked.key === null ? null : openBegun(log, open, await streamId(asked.ownerId, asked.key), asked),
    open,
    has,
    /** Ends an inference for all readers, in any process. False when there is none. */
    async cancel(id: string, ownerId: string | null): Promise<boolean> {
      const head = await log.head(id);
      if (head === null || head.ownerId !== ownerId) return false;
      await log.append(id, [JSON.stringify(streamErrors.cancelled)], { ends: true });
      return true;
    },
    running,
    /** True when the log of streams answers within this many milliseconds. */
    isLogReachable: (ms: number): Promise<boolean> => within(ms, answers(log), false),
  };
}

async function answers(log: StreamLog): Promise<true> {
  await log.head(crypto.randomUUID());
  return true;
}

/** A reader of a stream with this body, from its first event on. */
async function openBegun(
  log: StreamLog,
  open: (id: string, options: InferenceOpen) => ReturnType<typeof openStreamReader>,
  id: string,
  { ownerId, digest }: Pick<InferenceStart, 'ownerId' | 'digest'>,
): Promise<FoundInference | 'key-reused' | null> {
  const head = digest === null ? null : await log.head(id);
  if (head !== null && head.ownerId === ownerId && (head.digest ?? digest) !== digest) return 'key-reused';
  const reader = await open(id, { ownerId, after: null });
  return typeof reader === 'string' ? null : { id, reader };
}

/** A random UUID, or one that every process derives from owner and idempotency key. */
async function streamId(ownerId: string | null, key: string | null): Promise<string> {
  if (key === null) return crypto.randomUUID();
  const bytes = (await sha256(JSON.stringify([ownerId, key]))).slice(0, 16);
  // Version 8 is for ids that an application derives itself (RFC 9562).
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return hexOf(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** The inferences that run in this process, until it closes. */
class RunningInferences {
  readonly #mostBytes: number;
  readonly #runs = new Map<string, InferenceRun>();
  readonly #sizes = new Map<string, number>();
  /** The readers in this process, of streams that run anywhere. */
  readonly #readers = new Map<string, number>();
  #bytes = 0;
  /** Called when nothing runs any more. */
  readonly #waiting = new Set<() => void>();
  #starting = 0;
  #isClosing = false;
  #isEnding = false;

  /** @param mostBytes The most bytes of all together. */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  get size(): number {
    return this.#runs.size;
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  get(id: string): InferenceRun | undefined {
    return this.#runs.get(id);
  }

  add(id: string, run: InferenceRun): void {
    this.#runs.set(id, run);
    if (this.#isEnding) run.stop(streamErrors.shutDown);
  }

  readersOf(id: string): number {
    return this.#readers.get(id) ?? 0;
  }

  countReader(id: string, change: 1 | -1): void {
    const count = this.readersOf(id) + change;
    if (count > 0) this.#readers.set(id, count);
    else this.#readers.delete(id);
  }

  /** Adds the size of an event; when all streams exceed their limit, the longest is ended. */
  grow(id: string, bytes: number): void {
    const size = this.#sizes.get(id);
    // A stream that was ended for its size may still write its last event.
    if (size === undefined && !this.#runs.has(id)) return;
    this.#sizes.set(id, (size ?? 0) + bytes);
    this.#bytes += bytes;
    while (this.#bytes > this.#mostBytes && this.#sizes.size > 0) this.#endLongest();
  }

  delete(id: string): void {
    this.#runs.delete(id);
    this.#bytes -= this.#sizes.get(id) ?? 0;
    this.#sizes.delete(id);
    this.#wakeIfIdle();
  }

  /** Counts an inference while it is being started. */
  async countStart<Value>(start: () => Promise<Value>): Promise<Value> {
    this.#starting++;
    try {
      return await start();
    } finally {
      this.#starting--;
      this.#wakeIfIdle();
    }
  }

  /** Waits for all inferences. Those that have not ended in this many milliseconds are ended; Infinity ends none. */
  async close(graceMs: number): Promise<void> {
    this.#isClosing = true;
    const isOver = new Promise<void>((resolve) => this.#waiting.add(resolve));
    this.#wakeIfIdle();
    const timer = setTimeout(() => this.#endAll(), Math.min(graceMs, longestTimerMs));
    await isOver;
    clearTimeout(timer);
  }

  #endAll(): void {
    this.#isEnding = true;
    for (const run of this.#runs.values()) run.stop(streamErrors.shutDown);
    this.#wakeIfIdle();
  }

  #wakeIfIdle(): void {
    // An inference that waits for an unresponsive log is not awaited any longer: it would end at once.
    if (this.#runs.size > 0 || (this.#starting > 0 && !this.#isEnding)) return;
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  #endLongest(): void {
    let longest: string | null = null;
    for (const [id, size] of this.#sizes) if (size > (this.#sizes.get(longest ?? '') ?? -1)) longest = id;
    if (longest === null) return;
    // It occupies its bytes until its end is written, but its removal must not be counted twice.
    this.#bytes -= this.#sizes.get(longest) ?? 0;
    this.#sizes.delete(longest);
    this.#runs.get(longest)?.stop(streamErrors.noRoom(this.#mostBytes));
  }
}
