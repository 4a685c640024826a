import { streamErrors } from './stream-errors.ts';
import type { StreamEntry, StreamLog, StreamPage } from './stream-log.ts';

/** Somebody who reads a stream, in this process or another than its writer's. */
export type StreamReader = {
  /**
   * The next entries, one at least, as soon as there are any; null at the end, when the stream was forgotten, and once
   * closed. Rejects when the log cannot be reached.
   */
  readonly next: () => Promise<readonly StreamEntry[] | null>;
  /** Ends a waiting `next`, too. May be called twice. */
  readonly close: () => void;
};

/** What a reader is opened with. */
export type ReaderOptions = {
  readonly ownerId: string | null;
  /** Reads strictly behind this offset; null from the first entry on. */
  readonly after: string | null;
  readonly leaseMs: number;
  /** Told the index of the last entry that was given out. */
  readonly onTaken?: (index: number) => void;
  /** Called once, when the reader is closed. */
  readonly onClose?: () => void;
};

/** How often somebody who waits without a hint looks by himself: one may be lost, and the writer may have died. */
const lookMs = 1000;

/**
 * Opens a reader, who counts as one from now on. A stream of somebody else is `unknown`; `at-end` when it is over and
 * nothing stands behind the offset.
 */
export async function openStreamReader(
  log: StreamLog,
  id: string,
  options: ReaderOptions,
): Promise<StreamReader | 'unknown' | 'offset-invalid' | 'at-end'> {
  const { ownerId, after, leaseMs } = options;
  const head = await log.head(id);
  if (head === null || head.ownerId !== ownerId) return 'unknown';
  const page = await log.read(id, after);
  if (typeof page === 'string') return page;
  if (page.isEnd && page.entries.length === 0) return 'at-end';
  const readerId = crypto.randomUUID();
  await log.attend(id, readerId, leaseMs);
  return follow(log, id, readerId, page, options);
}

function follow(
  log: StreamLog,
  id: string,
  readerId: string,
  first: StreamPage,
  { after, leaseMs, onTaken, onClose }: ReaderOptions,
): StreamReader {
  let at = after;
  let ready: StreamPage | null = first.entries.length > 0 ? first : null;
  let isClosed = false;
  let hasChanged = false;
  let wake: () => void = () => undefined;
  const attend = (ms: number): void => void log.attend(id, readerId, ms).catch(() => undefined);
  const lease = setInterval(attend, leaseMs / 3, leaseMs);
  let isQuiet = true;
  const look = setInterval(() => {
    if (isQuiet) wake();
    isQuiet = true;
  }, lookMs);
  const unwatch = log.watch(id, () => {
    hasChanged = true;
    isQuiet = false;
    wake();
  });

  const change = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
      if (hasChanged || isClosed) wake();
    });

  /** What a writer that has died cannot do any more. */
  const seal = (): Promise<boolean> =>
    log.append(id, [JSON.stringify(streamErrors.abandoned)], { ends: true, onlyIfAbandoned: true });

  return {
    async next() {
      let page: StreamPage | string | null = ready;
      ready = null;
      while (!isClosed) {
        hasChanged = false;
        page ??= await log.read(id, at);
        if (isClosed || typeof page === 'string') break;
        const last = page.entries.at(-1);
        if (last !== undefined) {
          at = last.offset;
          onTaken?.(last.index);
          return page.entries;
        }
        if (page.isEnd) break;
        if (page.isAbandoned) await seal();
        else await change();
        page = null;
      }
      return null;
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      clearInterval(lease);
      clearInterval(look);
      unwatch();
      wake();
      attend(0);
      onClose?.();
    },
  };
}
