import { streamErrors } from './stream-errors.ts';
import type { StreamEntry, StreamLog, StreamPage } from './stream-log.ts';

/** A reader of a stream, in any process, with one read at a time. */
export type StreamReader = {
  /**
   * Resolves with the next entries, at least one, as soon as there are any; with null at the end, when the stream was
   * removed, and after a cancel. Rejects when the log cannot be reached.
   */
  readonly read: () => Promise<readonly StreamEntry[] | null>;
  /** Closes the reader and ends a waiting read. May be called twice. */
  readonly cancel: () => void;
};

type ReaderOptions = {
  readonly ownerId: string | null;
  /** The offset to read after; null reads from the first entry on. */
  readonly after: string | null;
  readonly leaseMs: number;
  /** Receives the index of the last entry that was given out. */
  readonly onTaken?: (index: number) => void;
  /** Called once, when the reader is closed. */
  readonly onClose?: () => void;
};

/** The interval at which a waiting reader polls: a hint may be lost, and the writer may have died. */
const lookMs = 1000;

/** Opens a reader. A stream of another owner is `unknown`; `at-end`: it has ended and nothing follows the offset. */
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
  /** True when more entries may exist that no hint announces. */
  let hasChanged = true;
  let isAtEnd = false;
  let isClosed = false;
  let wake: () => void = () => undefined;

  const leave = attend(log, id, readerId, leaseMs, () => {
    hasChanged = true;
    wake();
  });

  function takeEntries({ entries, hasMore, isEnd }: StreamPage, last: StreamEntry): readonly StreamEntry[] {
    at = last.offset;
    hasChanged ||= hasMore;
    isAtEnd = isEnd;
    onTaken?.(last.index);
    return entries;
  }

  return {
    async read() {
      while (!isClosed && !isAtEnd) {
        let page: Awaited<ReturnType<StreamLog['read']>> | null = ready;
        ready = null;
        if (page === null) {
          if (!hasChanged) await new Promise<void>((resolve) => (wake = resolve));
          if (isClosed) break;
          hasChanged = false;
          page = await log.read(id, at);
        }
        if (isClosed || typeof page === 'string') break;
        const last = page.entries.at(-1);
        if (last !== undefined) return takeEntries(page, last);
        if (page.isEnd) break;
        if (page.isAbandoned) {
          // The writer is dead, so its reader ends the stream.
          const last = JSON.stringify(streamErrors.abandoned);
          await log.append(id, [last], { ends: true, onlyIfAbandoned: true });
          hasChanged = true;
        }
      }
      return null;
    },
    cancel() {
      if (isClosed) return;
      isClosed = true;
      leave();
      onClose?.();
      wake();
    },
  };
}

/** Registers a reader and calls back on changes and after a silence, until the returned function is called. */
function attend(
  log: StreamLog,
  id: string,
  readerId: string,
  leaseMs: number,
  onChange: () => void,
): () => void {
  let isQuiet = true;
  const renew = (ms: number): void => void log.attend(id, readerId, ms).catch(() => undefined);
  const lease = setInterval(renew, leaseMs / 3, leaseMs);
  const look = setInterval(() => {
    if (isQuiet) onChange();
    isQuiet = true;
  }, lookMs);
  const unwatch = log.watch(id, () => {
    isQuiet = false;
    onChange();
  });
  return () => {
    clearInterval(lease);
    clearInterval(look);
    unwatch();
    renew(0);
  };
}
