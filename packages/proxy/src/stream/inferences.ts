import { AgentError, type InferenceClient, type InferenceRequest, type Usage } from '@vitrine/core';
import { runInference } from './run-inference.ts';
import { createRunningInferences, type RunningInferences } from './running-inferences.ts';
import { streamErrors } from './stream-errors.ts';
import { streamId } from './stream-id.ts';
import type { StreamLimits } from './stream-limits.ts';
import type { StreamLog } from './stream-log.ts';
import { openStreamReader, type StreamReader } from './stream-reader.ts';
import type { StreamReport } from './stream-report.ts';
import { within } from './within.ts';

/** What is asked of a model, by whom. */
export type InferenceStart = {
  readonly client: InferenceClient;
  readonly request: InferenceRequest;
  /** What it will probably use at most. */
  readonly expected: Usage;
  readonly ownerId: string | null;
  /** The same owner, key and request give the same stream as long as it is kept; null for a stream of its own. */
  readonly key: string | null;
  readonly onEnd: (report: StreamReport) => void;
};

/** Where and for whom a stream is read. */
export type InferenceOpen = { readonly ownerId: string | null; readonly after: string | null };

/** The inferences that run here, and all streams that the log knows. Streams of other owners do not exist. */
export type Inferences = Pick<RunningInferences, 'size' | 'isClosing' | 'close'> & {
  /** Begins one, unless it was begun before, and opens a reader of it from its first event on; `onEnd` is for a new one. */
  readonly start: (
    asked: InferenceStart,
  ) => Promise<{ readonly id: string; readonly reader: StreamReader; readonly isNew: boolean }>;
  /** A reader of one that was begun with the same key; null for a new one. */
  readonly find: (
    asked: Pick<InferenceStart, 'ownerId' | 'key' | 'request'>,
  ) => Promise<{ readonly id: string; readonly reader: StreamReader } | null>;
  readonly open: (
    id: string,
    options: InferenceOpen,
  ) => Promise<StreamReader | 'unknown' | 'offset-invalid' | 'at-end'>;
  readonly has: (id: string, ownerId: string | null) => Promise<boolean>;
  /** Ends one for all who read it, in whichever process it runs. False when there is none. */
  readonly cancel: (id: string, ownerId: string | null) => Promise<boolean>;
  /** Whether the log of streams answers in this many milliseconds. */
  readonly isLogReachable: (ms: number) => Promise<boolean>;
};

/** How often a stream is begun that is gone when it is read. */
const attempts = 3;

/** No inference yet. */
export function createInferences(log: StreamLog, limits: StreamLimits): Inferences {
  const running = createRunningInferences();
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
    const init = { ...asked, log, id, limits, readersHere: () => readersHere.get(id) ?? 0 };
    const inference = runInference({
      ...init,
      onEnd(report) {
        onEnd(report);
        running.delete(id);
      },
    });
    running.add(id, inference);
  }

  async function start(asked: InferenceStart): ReturnType<Inferences['start']> {
    const { ownerId, key, request } = asked;
    const id = await streamId(ownerId, key, request);
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const isNew = await log.create(id, { ownerId, leaseMs });
      const reader = await open(id, { ownerId, after: null });
      // One that was there may have been forgotten in between; then it is begun anew.
      if (typeof reader === 'string') continue;
      if (isNew) run(id, asked);
      return { id, reader, isNew };
    }
    throw new AgentError(
      'internal-error',
      'The log of streams forgets what it was just given. See its limits.',
    );
  }

  return {
    start: (asked) => running.starting(() => start(asked)),
    async find({ ownerId, key, request }) {
      if (key === null) return null;
      const id = await streamId(ownerId, key, request);
      const reader = await open(id, { ownerId, after: null });
      return typeof reader === 'string' ? null : { id, reader };
    },
    open,
    has: async (id, ownerId) => (await log.head(id))?.ownerId === ownerId,
    async cancel(id, ownerId) {
      const head = await log.head(id);
      if (head === null || head.ownerId !== ownerId) return false;
      await log.append(id, [JSON.stringify(streamErrors.cancelled)], { ends: true });
      return true;
    },
    size: running.size,
    isClosing: running.isClosing,
    close: running.close,
    isLogReachable: (ms) =>
      within(
        ms,
        log.head(crypto.randomUUID()).then(() => true),
        false,
      ),
  };
}
