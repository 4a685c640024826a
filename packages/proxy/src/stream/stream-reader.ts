import { type Answer, whenAnswered } from '../kit/answer.ts';
import { createHandover, type DirectSource } from '../kit/direct-body.ts';
import { streamErrors } from './stream-errors.ts';
import type { StreamEntry, StreamLog, StreamPage } from './stream-log.ts';

/**
 * A reader of a stream, in any process. A read gives the next entries, at least one, as soon as there are any. It gives
 * null at the end, when the stream was removed, and after a cancel, which ends a waiting read as well. It fails when
 * the log cannot be reached.
 */
export type StreamReader = DirectSource<readonly StreamEntry[]>;

/** Options of opening a reader. */
export type ReaderOptions = {
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

/**
 * Opens a reader, which counts from now on. A stream of another owner is `unknown`; `at-end` means that it has ended
 * and nothing follows the offset.
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
  const handover = createHandover<readonly StreamEntry[] | null>();
  let at = after;
  let ready: StreamPage | null = first.entries.length > 0 ? first : null;
  let isAsking = false;
  /** True when more entries may exist that no hint announces. */
  let hasChanged = true;
  let isAtEnd = false;
  let isClosed = false;

  /** Reads on for a waiting reader. */
  function look(): void {
    if (isAsking || !handover.isWaiting()) return;
    hasChanged = false;
    isAsking = true;
    whenAnswered(log.read(id, at), onPage, onLost);
  }

  function onPage(page: StreamPage | string): void {
    isAsking = false;
    if (isClosed) return;
    if (typeof page === 'string') return handover.give(null);
    const last = page.entries.at(-1);
    if (last !== undefined) {
      at = last.offset;
      hasChanged ||= page.hasMore;
      isAtEnd = page.isEnd;
      onTaken?.(last.index);
      handover.give(page.entries);
    } else if (page.isEnd) handover.give(null);
    else if (page.isAbandoned) seal();
    else if (hasChanged) look();
  }

  function onLost(error: unknown): void {
    isAsking = false;
    handover.fail(error);
  }

  function seal(): void {
    isAsking = true;
    whenAnswered(sealAbandoned(log, id), onSealed, onLost);
  }

  function onSealed(): void {
    isAsking = false;
    look();
  }

  const leave = attend(log, id, readerId, leaseMs, () => {
    hasChanged = true;
    look();
  });

  return {
    read(onPiece, onError) {
      handover.wait(onPiece, onError);
      const page = ready;
      ready = null;
      if (isClosed || isAtEnd) handover.give(null);
      else if (page !== null) onPage(page);
      else if (hasChanged) look();
    },
    cancel() {
      if (isClosed) return;
      isClosed = true;
      leave();
      onClose?.();
      handover.give(null);
    },
  };
}

/** Ends a stream in place of its dead writer. */
function sealAbandoned(log: StreamLog, id: string): Answer<boolean> {
  return log.append(id, [JSON.stringify(streamErrors.abandoned)], { ends: true, onlyIfAbandoned: true });
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
