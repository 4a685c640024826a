import type { InferenceEvent } from '@vitrine/core';
import { causeOf } from '../kit/cause-of.ts';
import { within } from '../kit/time.ts';
import { createModelCalls, type ModelCall, type ModelCallsInit } from './model-calls.ts';
import { createRoom } from './read-upstream.ts';
import { type ErrorEvent, streamErrors } from './stream-errors.ts';
import type { StreamLimits } from './stream-limits.ts';
import type { StreamLog } from './stream-log.ts';
import type { StreamReport } from './stream-report.ts';

/** The data of an inference, whose stream has been created in the log. */
export type InferenceInit = ModelCallsInit & {
  readonly log: StreamLog;
  /** Returns the number of readers in this process, whose progress is known. */
  readonly readersHere: () => number;
  /** Receives the report once, when the stream and its upstream have ended, with the call that answered. */
  readonly onEnd: (report: StreamReport, call: ModelCall) => void;
};

export type InferenceRun = ReturnType<typeof runInference>;

/** One error for all streams: without a reason each abort would create one, with its stack. */
const ended = new DOMException('The stream has ended.', 'AbortError');

/** The most characters ahead of the foremost reader before the upstream must wait. */
const maxAhead = 1024 * 1024;

/**
 * Asks the model and writes its events into the log, as the only writer of the stream. Whatever happens to upstream,
 * readers or log, the upstream is ended, the stream has one last event, and `onEnd` is called once.
 */
export function runInference(init: InferenceInit) {
  const { log, id, limits, readersHere } = init;
  const upstream = new AbortController();
  const room = createRoom(maxAhead);
  let stopped: ErrorEvent | null = null;

  /** Ends the upstream at once; the first reason counts. */
  function stop(reason: ErrorEvent): void {
    stopped ??= reason;
    upstream.abort(ended);
    room.open();
  }

  const writer = createEntryWriter(log, id, (why) =>
    stop(why === 'ended' ? streamErrors.cancelled : streamErrors.logFailed),
  );
  const unwatch = watchAttendance(log, id, limits, {
    onReaders: (readers) => room.bound(readers <= readersHere()),
    onUnread: () => stop(streamErrors.unread),
    onEnded: () => stop(streamErrors.cancelled),
    onLost: () => stop(streamErrors.logFailed),
  });
  const deadline = setTimeout(() => stop(streamErrors.late(limits.totalMs)), limits.totalMs);

  function write(data: string): void {
    room.add(data.length);
    writer.push(data);
  }

  const produce = createModelCalls(init, { signal: upstream.signal, room, stopped: () => stopped, write });

  async function run(): Promise<void> {
    const { last, call, count, thrown } = await produce();
    // The end that is written below looks to the watch like one of somebody else.
    const failure = stopped === null ? thrown() : null;
    // This also ends an upstream that has sent its last event but does not close.
    upstream.abort(ended);
    clearTimeout(deadline);
    const written = await within(limits.leaseMs, writer.end(JSON.stringify(count.withCost(last))), 'lost');
    unwatch();
    const ending = endingOf(last, written);
    const outcome = outcomeOf(ending);
    const code = ending.type === 'error' ? ending.code : null;
    const cause = outcome !== 'cancelled' && thrown() !== null ? causeOf(thrown()) : null;
    init.onEnd(count.report({ outcome, code, cause, thrown: failure }), call);
  }

  void run();
  // `took` marks the entries up to an index as taken by a reader in this process.
  return { took: room.take, stop };
}

/** Readers of an answer without a stored end do not have all of it. */
function endingOf(last: InferenceEvent, written: WrittenEnd): InferenceEvent {
  if (written === 'written' || last.type !== 'finish') return last;
  return written === 'ended' ? streamErrors.cancelled : streamErrors.logFailed;
}

function outcomeOf(last: InferenceEvent): StreamReport['outcome'] {
  if (last.type === 'finish') return 'completed';
  return last === streamErrors.cancelled || last === streamErrors.unread ? 'cancelled' : 'failed';
}

/** The fate of the last entry: it is written, somebody else had ended the stream, or the log could not be reached. */
type WrittenEnd = 'written' | 'ended' | 'lost';

/** Waits one tick of the event loop, in which a chunk of the upstream becomes many events. */
const nextTick: (run: () => void) => unknown =
  (globalThis as { setImmediate?: (run: () => void) => unknown }).setImmediate ??
  ((run) => setTimeout(run, 0));

/** @param onRefused Called once, when the stream has ended elsewhere or is gone, or its log cannot be reached (`lost`). */
function createEntryWriter(
  log: StreamLog,
  id: string,
  onRefused: (why: Exclude<WrittenEnd, 'written'>) => void,
) {
  const waiting: string[] = [];
  let isWriting = false;
  let refused: Exclude<WrittenEnd, 'written'> | null = null;
  let onIdle: () => void = () => undefined;

  async function write(): Promise<void> {
    try {
      while (refused === null && waiting.length > 0)
        if (!(await log.append(id, waiting.splice(0)))) refuse('ended');
    } catch {
      refuse('lost');
    }
    isWriting = false;
    onIdle();
  }

  function refuse(why: Exclude<WrittenEnd, 'written'>): void {
    refused = why;
    onRefused(why);
  }

  return {
    push(data: string): void {
      if (refused !== null) return;
      waiting.push(data);
      if (isWriting) return;
      isWriting = true;
      nextTick(() => void write());
    },
    /** Writes the pending entries and the last one. Rejects when the log cannot be reached. */
    async end(data: string): Promise<WrittenEnd> {
      if (isWriting) await new Promise<void>((resolve) => (onIdle = resolve));
      if (refused !== null) return refused;
      const isWritten = await log.append(id, [...waiting.splice(0), data], { ends: true });
      return isWritten ? 'written' : 'ended';
    },
  };
}

type AttendanceListener = {
  /** Receives the number of readers in all processes. */
  readonly onReaders: (count: number) => void;
  /** Called when nobody has read for the grace time. */
  readonly onUnread: () => void;
  /** Called when another process ended the stream, or it is gone. */
  readonly onEnded: () => void;
  /** Called when the log has not answered for the time of the lease. */
  readonly onLost: () => void;
};

/** Renews the writer's lease and watches the readers, until the returned function is called. */
export function watchAttendance(
  log: StreamLog,
  id: string,
  { leaseMs, resumeGraceMs }: Pick<StreamLimits, 'leaseMs' | 'resumeGraceMs'>,
  { onReaders, onUnread, onEnded, onLost }: AttendanceListener,
): () => void {
  let isOver = false;
  let isLooking = false;
  let looksAgain = false;
  let askedAt = performance.now();
  let answeredAt = askedAt;
  let grace: ReturnType<typeof setTimeout> | undefined;

  async function look(): Promise<void> {
    looksAgain = isLooking;
    if (isLooking) return;
    isLooking = true;
    askedAt = performance.now();
    const head = await log.renew(id, leaseMs).catch(() => undefined);
    isLooking = false;
    if (isOver) return;
    if (head === null || head?.isEnded) return onEnded();
    if (head) noteReaders(head.readers);
    else if (performance.now() - answeredAt > leaseMs) return onLost();
    if (looksAgain) void look();
  }

  function noteReaders(readers: number): void {
    answeredAt = performance.now();
    onReaders(readers);
    if (readers > 0) {
      clearTimeout(grace);
      grace = undefined;
    } else grace ??= setTimeout(() => void leave(), resumeGraceMs);
  }

  /** A reader may have come whose hint was lost. */
  async function leave(): Promise<void> {
    const head = await log.head(id).catch(() => null);
    grace = undefined;
    if (isOver) return;
    if (head !== null && head.readers > 0) noteReaders(head.readers);
    else onUnread();
  }

  const unwatch = log.watch(id, (hint) => {
    if (hint === 'state') void look();
  });
  const timer = setInterval(() => {
    if (isLooking && performance.now() - askedAt > leaseMs) onLost();
    else void look();
  }, leaseMs / 3);
  void look();
  return () => {
    isOver = true;
    clearInterval(timer);
    clearTimeout(grace);
    unwatch();
  };
}
