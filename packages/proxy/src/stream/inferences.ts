import { hexOf, sha256 } from '../kit/digest.ts';
import {
  AgentError,
  type InferenceClient,
  type InferenceRequest,
  type ModelPrice,
  type Usage,
} from '@vitrine/core';
import { type InferenceRun, runInference } from './run-inference.ts';
import { streamErrors } from './stream-errors.ts';
import type { StreamLimits } from './stream-limits.ts';
import type { StreamLog } from './stream-log.ts';
import { openStreamReader, type StreamReader } from './stream-reader.ts';
import type { StreamReport } from './stream-report.ts';
import { longestTimerMs, within } from '../kit/time.ts';

/** A request of a principal to a model. */
type InferenceStart = {
  readonly client: InferenceClient;
  readonly request: InferenceRequest;
  /** The most usage that it may cause. */
  readonly expected: Usage;
  /** The price of the model's tokens; null when it is unknown. */
  readonly price: ModelPrice | null;
  readonly ownerId: string | null;
  /** The same owner and key give the same stream as long as it is kept; null for a new stream. */
  readonly key: string | null;
  /** The digest of the body; null without a key. */
  readonly digest: string | null;
  readonly onEnd: (report: StreamReport) => void;
};

/** The place and the owner of a read. */
type InferenceOpen = { readonly ownerId: string | null; readonly after: string | null };

/** A stream with a reader from its first event on. */
export type FoundInference = { readonly id: string; readonly reader: StreamReader };

/** The inferences that run here, and all streams in the log. Streams of other owners are invisible. */
export type Inferences = Pick<RunningInferences, 'size' | 'isClosing' | 'close'> & {
  /**
   * Starts an inference, unless it was started before, and opens a reader from its first event on. `onEnd` is for a new
   * one.
   */
  readonly start: (
    asked: InferenceStart,
  ) => Promise<(FoundInference & { readonly isNew: boolean }) | 'key-reused'>;
  /** True when an inference was started with this key. */
  readonly isBegun: (ownerId: string | null, key: string | null) => Promise<boolean>;
  /** A reader of the inference with the same key; null for a new key. */
  readonly find: (
    asked: Pick<InferenceStart, 'ownerId' | 'key' | 'digest'>,
  ) => Promise<FoundInference | 'key-reused' | null>;
  readonly open: (
    id: string,
    options: InferenceOpen,
  ) => Promise<StreamReader | 'unknown' | 'offset-invalid' | 'at-end'>;
  readonly has: (id: string, ownerId: string | null) => Promise<boolean>;
  /** Ends an inference for all readers, in any process. False when there is none. */
  readonly cancel: (id: string, ownerId: string | null) => Promise<boolean>;
  /** True when the log of streams answers within this many milliseconds. */
  readonly isLogReachable: (ms: number) => Promise<boolean>;
};

/** The most attempts to start a stream that disappears before it is read. */
const attempts = 3;

/** Creates the inferences of a proxy. */
export function createInferences(log: StreamLog, limits: StreamLimits): Inferences {
  const running = createRunningInferences(limits.runningBytes);
  const readersHere = new Map<string, number>();
  const { leaseMs } = limits;

  function countReader(id: string, change: 1 | -1): void {
    const count = (readersHere.get(id) ?? 0) + change;
    if (count > 0) readersHere.set(id, count);
    else readersHere.delete(id);
  }

  async function open(id: string, options: InferenceOpen): ReturnType<Inferences['open']> {
    const reader = await openStreamReader(log, id, {
      ...options,
      leaseMs,
      onTaken: (index) => running.get(id)?.took(index),
      onClose: () => countReader(id, -1),
    });
    if (typeof reader !== 'string') countReader(id, 1);
    return reader;
  }

  function run(id: string, { onEnd, ...asked }: InferenceStart): void {
    const inference = runInference({
      ...asked,
      log,
      id,
      limits,
      readersHere: () => readersHere.get(id) ?? 0,
      onGrow: (bytes) => running.grow(id, bytes),
      onEnd(report) {
        onEnd(report);
        running.delete(id);
      },
    });
    running.add(id, inference);
  }

  async function start(asked: InferenceStart): ReturnType<Inferences['start']> {
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

  const has: Inferences['has'] = async (id, ownerId) => (await log.head(id))?.ownerId === ownerId;

  return {
    start: (asked) => running.starting(() => start(asked)),
    isBegun: async (ownerId, key) => key !== null && has(await streamId(ownerId, key), ownerId),
    find: async (asked) =>
      asked.key === null ? null : openBegun(log, open, await streamId(asked.ownerId, asked.key), asked),
    open,
    has,
    async cancel(id, ownerId) {
      const head = await log.head(id);
      if (head === null || head.ownerId !== ownerId) return false;
      await log.append(id, [JSON.stringify(streamErrors.cancelled)], { ends: true });
      return true;
    },
    size: running.size,
    isClosing: running.isClosing,
    close: running.close,
    isLogReachable: (ms) => within(ms, answers(log), false),
  };
}

async function answers(log: StreamLog): Promise<true> {
  await log.head(crypto.randomUUID());
  return true;
}

/** A reader of a stream with this body, from its first event on. */
async function openBegun(
  log: StreamLog,
  open: Inferences['open'],
  id: string,
  { ownerId, digest }: Pick<InferenceStart, 'ownerId' | 'digest'>,
): Promise<FoundInference | 'key-reused' | null> {
  const head = digest === null ? null : await log.head(id);
  if (head !== null && head.ownerId === ownerId && (head.digest ?? digest) !== digest) return 'key-reused';
  const reader = await open(id, { ownerId, after: null });
  return typeof reader === 'string' ? null : { id, reader };
}

/**
 * The id of a stream: a random UUID, or one that is derived from owner and idempotency key. Every process derives the
 * same id, and the log creates it only once.
 */
async function streamId(ownerId: string | null, key: string | null): Promise<string> {
  if (key === null) return crypto.randomUUID();
  const bytes = (await sha256(JSON.stringify([ownerId, key]))).slice(0, 16);
  // Version 8 is for ids that an application derives itself (RFC 9562).
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return hexOf(bytes).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** The inferences that run in this process, until it closes. */
type RunningInferences = {
  readonly get: (id: string) => InferenceRun | undefined;
  readonly add: (id: string, run: InferenceRun) => void;
  readonly delete: (id: string) => void;
  /** Adds the size of an event; when all streams exceed their limit, the longest is ended. */
  readonly grow: (id: string, bytes: number) => void;
  readonly size: () => number;
  /** Counts an inference while it is being started. */
  readonly starting: <Value>(start: () => Promise<Value>) => Promise<Value>;
  readonly isClosing: () => boolean;
  /** Waits for all inferences. Those that have not ended in this many milliseconds are ended; Infinity ends none. */
  readonly close: (graceMs: number) => Promise<void>;
};

/** Creates the inferences of a process. @param runningBytes The most bytes of all together. */
function createRunningInferences(runningBytes: number): RunningInferences {
  const runs = new Map<string, InferenceRun>();
  const sizes = new Map<string, number>();
  let all = 0;
  const waiting = new Set<() => void>();
  let starting = 0;
  let isClosing = false;
  let isEnding = false;

  function look(): void {
    // An inference that waits for an unresponsive log is not awaited any longer: it would end at once.
    if (runs.size > 0 || (starting > 0 && !isEnding)) return;
    for (const wake of waiting) wake();
    waiting.clear();
  }

  function endLongest(): void {
    let longest: string | null = null;
    for (const [id, size] of sizes) if (size > (sizes.get(longest ?? '') ?? -1)) longest = id;
    if (longest === null) return;
    // It occupies its bytes until its end is written, but its removal must not be counted twice.
    all -= sizes.get(longest) ?? 0;
    sizes.delete(longest);
    runs.get(longest)?.stop(streamErrors.noRoom(runningBytes));
  }

  return {
    get: (id) => runs.get(id),
    add(id, run) {
      runs.set(id, run);
      if (isEnding) run.stop(streamErrors.shutDown);
    },
    grow(id, bytes) {
      const size = sizes.get(id);
      // A stream that was ended for its size may still write its last event.
      if (size === undefined && !runs.has(id)) return;
      sizes.set(id, (size ?? 0) + bytes);
      all += bytes;
      while (all > runningBytes && sizes.size > 0) endLongest();
    },
    delete(id) {
      runs.delete(id);
      all -= sizes.get(id) ?? 0;
      sizes.delete(id);
      look();
    },
    size: () => runs.size,
    async starting(start) {
      starting++;
      try {
        return await start();
      } finally {
        starting--;
        look();
      }
    },
    isClosing: () => isClosing,
    async close(graceMs) {
      isClosing = true;
      const isOver = new Promise<void>((resolve) => waiting.add(resolve));
      look();
      const end = (): void => {
        isEnding = true;
        for (const run of runs.values()) run.stop(streamErrors.shutDown);
        look();
      };
      const timer = setTimeout(end, Math.min(graceMs, longestTimerMs));
      await isOver;
      clearTimeout(timer);
    },
  };
}
